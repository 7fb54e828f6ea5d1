/** Runs an import in a separate process, which tests kill: `import-process.ts <database url> stores|contacts <file>`. */

import { importContacts } from '../../../src/catalogue/imports/contacts/import-contacts.ts'
import { importStores } from '../../../src/catalogue/imports/stores/import-stores.ts'
import { ensureInstallationSecret } from '../../../src/foundation/db/installation.ts'
import { createPool } from '../../../src/foundation/db/pool.ts'
import { openContactSeals } from '../../../src/foundation/encryption/keyring.ts'
import { createIdSealer } from '../../../src/foundation/kernel/ids.ts'
import { parseDataKeys } from '../../../src/foundation/kernel/seal.ts'
import { systemClock } from '../../../src/foundation/kernel/time.ts'
import { testDataKeys } from '../../support/fixtures.ts'

const [url, kind, file] = process.argv.slice(2) as [string, 'stores' | 'contacts', string]
const db = createPool({ url, applicationName: 'storedex import to be killed' })
const ids = createIdSealer(await ensureInstallationSecret(db))
const seals = await openContactSeals(db, parseDataKeys(testDataKeys)!, '')
const onProgress = ({ read }: { read: number }) => process.stdout.write(`${read}\n`)
onProgress({ read: 0 })
const importRecords = kind === 'stores' ? importStores : importContacts
await importRecords({ db, clock: systemClock, ids, seals }, { file, extendTaxonomy: false, onProgress })
await db.end()
