"""Redraft corrects grammar while a person types.

>>> import redraft
>>> corrector = redraft.load("en")
>>> corrector.correct("She go to school every days.").text
"""
