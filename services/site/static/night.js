// Helps whoever types a night; without it the buttons of the form do everything.
