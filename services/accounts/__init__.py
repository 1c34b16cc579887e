"""People who log in: accounts, proofs of their addresses, logins, passkeys, staff and their acts.

It knows no HTTP and no pages. What holds for an account is decided under the lock of its row.
"""
