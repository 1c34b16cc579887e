"""The public logs of facts and verdicts: grown, signed, cosigned by witnesses, and served."""
