"""Tests of proposals to change the formula, and the history that their trials are made on."""
