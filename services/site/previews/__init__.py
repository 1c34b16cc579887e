"""Previews: the pictures that messengers and other sites show beside a link, 1200 by 630.

They are drawn as SVG, which is pure, and made into PNG in a process of its own.
"""
