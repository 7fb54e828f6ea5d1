import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generateContacts } from '../../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../../server/test/support/records/store-records.ts'
import { HttpConnection, requestOnce, requestText } from '../../client/http-connection.ts'
import { Revealers } from '../../client/revealers.ts'
import { CommandLine } from '../../installation/command.ts'
import { checkInvariants, type Installation, openInstallation } from '../../installation/installation.ts'
import { endPostgres } from '../../installation/processes.ts'
import { importRecords, requestJson, writeRecords } from '../../installation/seed.ts'
import { Service } from '../../installation/service.ts'
import type { Drill, Scenario } from '../../scenario.ts'

const stores = 4_000
/** As many as a reveal takes. */
const contactsPerReveal = 10
/** PostgreSQL notices within seconds that the client of a transaction is gone. */
const rollbackTimeoutMs = 30_000

interface Page {
  data: { id: string }[]
  next_cursor: string | null
}

interface Reveal {
  credits: { spent: number }
  data: { emails: { email: string }[] }[]
}

export const backup: Scenario = {
  name: 'backup',
  title: 'a backup beside reveals and an import, restored elsewhere',
  expected:
    'while contacts are revealed and stores imported, a backup with the keys is made and restored into another folder. There the ledger balances, every reveal that was answered before the backup is known, people who were erased stay erased, and keys, ids, cursors and contacts work. Restores that are killed leave the old state, and a restore over a later state is followed by the search.',

  async run(drill) {
    const installation = await openInstallation(drill)
    const { commands, service, accounts } = installation
    const { email, contacts } = await importAndErase(drill, installation)
    const search = (cursor: string | null) => ({
      key: accounts.greedy.key,
      body: { person: { has_verified_email: true }, limit: 50, ...(cursor !== null && { cursor }) },
    })
    const first = await send<Page>(service, '/api/v1/contacts/search', search(null))
    const second = await send<Page>(service, '/api/v1/contacts/search', search(first.next_cursor))

    const revealers = new Revealers(installation, { clients: 8, random: drill.random, pauseMs: 2 })
    revealers.start()
    const laterStores = join(drill.folder, 'later-stores.ndjson')
    writeRecords(laterStores, [...generateStores(stores, 23)])
    const importing = commands.run<{ inserted: number }>('import', 'stores', laterStores)
    await delay(1_500)
    const answered = revealers.answeredContacts
    const file = join(drill.folder, 'storedex.backup')
    const made = await commands.run<{ rows: number; seconds: number }>('backup', file, '--with-keys')
    const during = revealers.answeredContacts.length - answered.length
    await importing
    await revealers.finish()
    drill.check('the service reveals during the backup', during > 0, `${during} contacts`)
    await revealers.check(drill)
    drill.figure('backup', `${made.rows} rows, ${statSync(file).size} bytes, ${made.seconds} s`)

    const refused = await commands.start('restore', file, '--replace').end
    const isRefused = refused.code === 1 && /The service runs on this database/.test(refused.stderr)
    drill.check('a restore under a running service is refused', isRefused, refused.stderr.trim())

    const other = await restoreElsewhere(drill, installation, file)
    const ledger = await other.commands.checkLedger()
    drill.check('the restored ledger balances', ledger === 'no differences', ledger)
    let spent = 0
    let withEmail = 0
    for (let at = 0; at < answered.length; at += contactsPerReveal) {
      const body = { contact_ids: answered.slice(at, at + contactsPerReveal) }
      const { credits, data } = await send<Reveal>(other.service, '/api/v1/contacts/reveal', {
        key: accounts.greedy.key,
        body,
      })
      spent += credits.spent
      withEmail += data.filter(({ emails }) => emails.length > 0).length
    }
    const known = `${answered.length} contacts revealed again for ${spent} credits, ${withEmail} with an email`
    drill.check(
      'every reveal that was answered before the backup is known, and opens',
      spent === 0 && withEmail > 0,
      known,
    )
    const continued = await send<Page>(other.service, '/api/v1/contacts/search', search(first.next_cursor))
    // Some of them were revealed since.
    const idsOf = ({ data }: Page) => data.map(({ id }) => id).join()
    const isSame = idsOf(continued) === idsOf(second)
    drill.check(
      'a cursor of the old installation continues in the restored one',
      isSame,
      `${continued.data.length} contacts`,
    )

    const { erased } = await other.commands.run<{ erased: number }>('contacts', 'erase', '--email', email)
    const again = join(drill.folder, 'again.ndjson')
    writeRecords(again, contacts)
    // None of them may be taken, which is a failure of the command.
    const { code, stdout } = await other.commands.start('import', 'contacts', again).end
    const { inserted } = JSON.parse(stdout) as { inserted: number }
    drill.check(
      'erased people stay erased',
      erased + inserted === 0 && code === 1,
      `${erased} found, ${inserted} imported again`,
    )

    await killRestores(drill, other, file)
    await checkInvariants(drill, other)
    await checkInvariants(drill, installation)
  },
}

/** Imports stores and contacts, and erases the people with one address. Returns their records. */
async function importAndErase({ folder }: Drill, { commands }: Installation) {
  const records = [...generateStores(300, 19)]
  const people = [...generateContacts(records, 3, 19)]
  await importRecords(commands, 'stores', join(folder, 'stores.ndjson'), records)
  await importRecords(commands, 'contacts', join(folder, 'contacts.ndjson'), people)
  const { email } = people.find(({ emails }) => emails?.length)!.emails![0]!
  await commands.run('contacts', 'erase', '--email', email)
  return { email, contacts: people.filter(({ emails }) => emails?.some((each) => each.email === email)) }
}

async function restoreElsewhere(drill: Drill, original: Installation, file: string): Promise<Installation> {
  const { folder, cleanup } = drill
  const dataDir = join(folder, 'restored')
  const environment = { DATA_DIR: dataDir, DEMO: '0' }
  cleanup.add(() => endPostgres(dataDir))
  const commands = new CommandLine(environment, cleanup)
  const { rows, seconds } = await commands.run<{ rows: number; seconds: number }>('restore', file)
  drill.figure('restore', `${rows} rows, ${seconds} s`)
  const service = await Service.start({ folder, environment, cleanup })
  if (!(await service.isReadyWithin(30_000))) throw new Error('the restored service is not ready 30 s after its start')
  return { ...original, dataDir, service, commands }
}

/** Kills restores over a later state, each at another moment; then lets one come to its end. */
async function killRestores(drill: Drill, installation: Installation, file: string): Promise<void> {
  const { service, commands, accounts } = installation
  const page = { key: accounts.greedy.key, body: { filters: {}, limit: 100 } }
  const before = await send<Page>(service, '/api/v1/stores/search', page)
  const added = { domain: 'added-after-the-backup.example', lead_fit_score: 100 }
  await importRecords(commands, 'stores', join(drill.folder, 'added.ndjson'), [added])
  const path = `/api/v1/stores/${added.domain}`
  const isThere = async () =>
    (await requestOnce(service.origin, requestText('GET', path, { key: accounts.greedy.key }))).status === 200
  if (!(await isThere())) throw new Error('the store was not added')
  // Searches now use the later state, also from the snapshot file.
  await service.stop()
  const isRestored = async () => {
    const after = await send<Page>(service, '/api/v1/stores/search', page)
    return JSON.stringify(after.data) === JSON.stringify(before.data) && !(await isThere())
  }
  const wanted = drill.isShort ? 2 : 12
  let kills = 0
  let mixed = 0
  // A restore that had committed when it was killed does not count: the later state is made again, and the next kill comes sooner.
  for (let longestMs = 2_400; kills < wanted && longestMs > 100; ) {
    const { child, end } = commands.start('restore', file, '--replace')
    await delay(longestMs * (0.35 + drill.random.below(600) / 1_000))
    child.kill('SIGKILL')
    await end
    await startAfterRollback(service)
    await service.isReadyWithin(30_000)
    if (await isThere()) {
      kills++
    } else {
      if (!(await isRestored())) mixed++
      longestMs /= 2
      await importRecords(commands, 'stores', join(drill.folder, 'added.ndjson'), [added])
    }
    await service.stop()
  }
  drill.check(
    'a killed restore leaves the old state or the restored one',
    kills === wanted && mixed === 0,
    `the old one after ${kills} kills, neither after ${mixed}`,
  )
  await commands.run('restore', file, '--replace')
  await service.start()
  await service.isReadyWithin(30_000)
  drill.check(
    'after a restore over a later state, searches find the restored one',
    await isRestored(),
    `${before.data.length} stores`,
  )
}

/** A start is refused while the transaction of a killed restore is rolled back. */
async function startAfterRollback(service: Service): Promise<void> {
  for (const deadline = performance.now() + rollbackTimeoutMs; ; await delay(500)) {
    try {
      return await service.start()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await service.stop()
    }
  }
}

async function send<T>({ origin }: Service, path: string, parts: { key: string; body: object }): Promise<T> {
  const connection = new HttpConnection(origin)
  try {
    return await requestJson<T>(connection, 'POST', path, parts)
  } finally {
    connection.close()
  }
}
