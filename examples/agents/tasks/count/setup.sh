# What the agent finds: made before it comes, and not in its diff.
printf 'one\n\ntwo\nthree\n\n' > words.txt
