"""Rating charts: drawn as SVG, told as rows of a table. Pure.

A chart shows a rating session by session in the order of the log, which is the order in which it
moved. Nothing in it is said by color alone, and everything it shows is in its table too.
"""
