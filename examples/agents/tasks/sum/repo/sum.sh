# Prints the sum of its two arguments.
