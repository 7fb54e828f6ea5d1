/** Reseals in a process of its own, which a test kills: `reseal-process.ts <database url> <keyring>`. */

import { createPool } from '../../../src/foundation/db/pool.ts'
import { openContactSeals } from '../../../src/foundation/encryption/keyring.ts'
import { parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { resealEverything } from '../../../src/operations/resealing/reseal.ts'

const [url, keyring] = process.argv.slice(2) as [string, string]
const db = createPool({ url, applicationName: 'storedex reseal to be killed' })
const seals = await openContactSeals(db, parseDataKeys(keyring)!, '')
await resealEverything({ db, seals }, ({ done }) => process.stdout.write(`${done}\n`))
await db.end()
