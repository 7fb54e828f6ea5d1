import { passwordHasher } from '../../../src/customers/users/passwords/hasher.ts'
import { atEnd } from '../cleanup.ts'
import { checkRecordedStatements, recordStatements } from '../statements/lint.ts'

recordStatements()
atEnd(checkRecordedStatements)
// The least that Argon2 takes.
passwordHasher.useCost({ memoryCost: 8, timeCost: 1 })
