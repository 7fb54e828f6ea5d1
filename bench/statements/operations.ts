import { join } from 'node:path'
import type { Request } from 'autocannon'
import { type Program, serveWith } from '../../server/test/support/programs/program.ts'
import { type Workspace, writeRecords } from '../../server/test/support/programs/workspace.ts'
import { generateContacts } from '../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../server/test/support/records/store-records.ts'
import { send } from '../api/load/load.ts'
import { firstRequests } from '../api/load/requests.ts'
import { operations, type Workload } from '../api/load/workload.ts'
import type { Recorder } from './recorder.ts'

export interface RecordedWork {
  requestsOfEach: number
  importedStores: number
}

interface Recording {
  program: Program
  workspace: Workspace
  workload: Workload
  key: string
  recorder: Recorder
}

const warmupRequests = 20
/** In one reveal. */
const maxContacts = 10

/**
 * Sends the same requests and commands to each version, one at a time, while its statements are recorded. The statements of a warm
 * service are of interest; the first ones are replayed too, so that both databases stay equal and their connections have plans.
 */
export async function recordOperations(recording: Recording, work: RecordedWork): Promise<void> {
  await recordRequests(recording, work.requestsOfEach)
  await recordImports(recording, work.importedStores)
}

async function recordRequests({ program, workload, key, recorder }: Recording, requestsOfEach: number): Promise<void> {
  const service = await serveWith('memory', program)
  const { origin } = new URL(service.api)
  const count = warmupRequests + requestsOfEach
  const recordWarm = async (operation: string, requests: readonly Request[]) => {
    for (const [index, request] of requests.entries())
      await recorder.record(index < warmupRequests ? 'warm-up' : operation, () => send(origin, request))
  }
  for (const [number, operation] of operations.entries()) {
    // Reveals of different operations have different contacts, so that each of them is charged.
    const contacts = workload.contacts.slice(number * count * maxContacts)
    await recordWarm(operation, firstRequests({ ...workload, contacts }, operation, key, count))
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const others = {
    usage: { method: 'GET', path: '/api/v1/usage', headers: { authorization: headers.authorization } },
    quote: {
      method: 'POST',
      path: '/api/v1/quotes',
      headers,
      body: JSON.stringify({ for: 'reveal', contact_ids: workload.contacts.slice(0, 10).map(({ id }) => id) }),
    },
    count: { method: 'POST', path: '/api/v1/stores/count', headers, body: JSON.stringify({ filters: {} }) },
  } as const
  for (const [operation, request] of Object.entries(others))
    await recordWarm(operation, new Array<Request>(count).fill(request))
  await service.stop()
}

/** New stores with contacts, then the same again, then with changes. */
async function recordImports({ program, workspace, recorder }: Recording, importedStores: number): Promise<void> {
  const stores = [...generateStores(importedStores, 77)]
  const contacts = [...generateContacts(stores, 2, 77)]
  const changed = stores.map((store, index) => (index % 3 === 0 ? { ...store, name: `${store.name} Changed` } : store))
  const importing = async (operation: string, kind: 'stores' | 'contacts', records: readonly object[]) => {
    const file = await writeRecords(join(workspace.dataDir, `${kind}.ndjson`), records)
    await recorder.record(operation, () => program.run('import', kind, file))
  }
  await importing('import of new stores', 'stores', stores)
  await importing('import of new contacts', 'contacts', contacts)
  await importing('import of changed stores', 'stores', changed)
  await importing('import of the same contacts', 'contacts', contacts)
}
