import * as fc from '../packages/domain/node_modules/fast-check/lib/fast-check.js'
import { codec } from '../packages/domain/src/TreeNode.ts'

// The same examples in every run, so that a score can be compared with the last; a mutant once found need not be shrunk.
fc.configureGlobal({ seed: 20261121, endOnFailure: true })

// A recursive codec is made at its first use. That is here, or a mutant in it would be shown to that one test alone.
try {
  codec.is(null)
} catch {
  // A mutant that throws here throws in the tests too.
}
