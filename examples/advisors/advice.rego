# An advisor for the Open Policy Agent: opa run --server advice.rego
# opa.py asks it: opa.py http://127.0.0.1:8181/v1/data/countersign/advice
package countersign.advice

import rego.v1

default allow := false

# Reading and testing in a project.
allow if {
	input.call.tool == "bash"
	input.call.arguments.command in {"make", "make test", "git fetch", "git status"}
	count(input.call.hiddenCharacters) == 0
}

# Each message denies the call.
deny contains "production is frozen" if input.call.arguments.environment == "production"

deny contains "the call has characters that hide its effect" if count(input.call.hiddenCharacters) > 0
