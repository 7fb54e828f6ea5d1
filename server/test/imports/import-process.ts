/** An import in a process of its own, for tests that kill it: `import-process.ts <database url> <file>`. */
import { readInstallationSecret } from '../../src/db/installation.ts'
import { createPool } from '../../src/db/pool.ts'
import { importStores } from '../../src/imports/import-stores.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createIdSealer } from '../../src/kernel/ids.ts'

const [url, file] = process.argv.slice(2) as [string, string]
const db = createPool({ url, applicationName: 'storedex import to be killed' })
const ids = createIdSealer(await readInstallationSecret(db))
const onProgress = ({ read }: { read: number }) => process.stdout.write(`${read}\n`)
onProgress({ read: 0 })
await importStores({ db, clock: systemClock, ids }, { file, extendTaxonomy: false, onProgress })
await db.end()
