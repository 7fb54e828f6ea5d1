import { atEnd } from './cleanup.ts'
import { checkRecordedStatements, recordStatements } from './statement-lint.ts'

recordStatements()
atEnd(checkRecordedStatements)
