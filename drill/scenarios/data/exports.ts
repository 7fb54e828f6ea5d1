import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mapConcurrently, shuffle } from '@storedex/testkit'
import { generateContacts } from '../../../server/test/support/records/contact-records.ts'
import { generateStores } from '../../../server/test/support/records/store-records.ts'
import {
  type ExportJob,
  type ExportOutcome,
  followExport,
  type JobKind,
  readOutcome,
  startExport,
} from '../../client/export-jobs.ts'
import { checkInvariants, type Installation, openInstallation, recoverWithin } from '../../installation/installation.ts'
import { isTrueWithin } from '../../installation/processes.ts'
import { importRecords, makeAccount } from '../../installation/seed.ts'
import type { Drill, Scenario } from '../../scenario.ts'

const kinds: readonly JobKind[] = ['stores', 'contacts']
/** More than a server runs at once, so that others go on while the leases of killed ones end. */
const jobsAtOnce = 8
const maxRecoveryMs = 60_000
/** A lease and a few chunks. */
const progressTimeoutMs = 30_000
const endTimeoutMs = 180_000

export const exports: Scenario = {
  name: 'exports',
  title: 'kill -9 of the server under exports of stores and of contacts',
  expected:
    'accounts export stores and contacts, each for the first time. The server is killed 200 times (or as often as fits into --minutes) at random moments while they run. Every file equals that of an undisturbed export byte for byte, so every row is there once; every store and person is charged exactly once, nothing stays reserved, and the ledger balances.',

  async run(drill) {
    const installation = await openInstallation(drill)
    const { service } = installation
    await fill(drill, installation)
    const startJobs = (chosen: readonly JobKind[]) =>
      mapConcurrently(
        chosen,
        async (kind) => startExport(service, kind, (await makeAccount(installation.commands, 'drill', true)).key),
        2,
      )
    const undisturbed = await startJobs(kinds)
    await followToEnd(installation, undisturbed)
    const [stores, contacts] = await mapConcurrently(undisturbed, (job) => readOutcome(service, job), 1)
    const wanted = { stores: stores!, contacts: contacts! }

    const wantedKills = drill.isShort ? 3 : 200
    const deadline = performance.now() + drill.minutes * 60_000
    const compared = { files: 0, rows: 0, kills: 0, others: [] as string[] }
    while (compared.kills < wantedKills && performance.now() < deadline) {
      const each = drill.isShort ? 1 : jobsAtOnce / kinds.length
      const jobs = await startJobs(shuffle(Array.from({ length: each }, () => kinds).flat(), drill.random))
      while (compared.kills < wantedKills && jobs.some(({ hasEnded }) => !hasEnded)) {
        if (!(await isTrueWithin(progressTimeoutMs, () => hasProgress(installation, jobs), 50))) break
        await delay(drill.random.below(600))
        await service.kill()
        compared.kills++
        if (!(await recoverWithin(maxRecoveryMs, installation))) throw new Error('it does not serve again')
        drill.reportProgress(`kill ${compared.kills} of ${wantedKills}`)
      }
      await followToEnd(installation, jobs)
      for (const job of jobs) {
        const outcome = await readOutcome(service, job)
        compared.files++
        compared.rows += outcome.rows
        compared.others.push(...differences(outcome, wanted[job.kind]).map((text) => `${job.kind}: ${text}`))
      }
    }
    drill.check(
      'every export ends with the file, the charges and the reservation of an undisturbed one',
      compared.files > 0 && compared.others.length === 0,
      `${compared.files} files with ${compared.rows} rows, after ${compared.kills} kills; ${compared.others.length === 0 ? 'no differences' : compared.others.join('; ')}`,
    )
    for (const kind of kinds) {
      const { rows, distinctRows, usage, end } = wanted[kind]
      const isExact = rows === distinctRows && end === 'ready, end' && isUsage(usage, kind, rows)
      drill.check(
        `an undisturbed export of ${kind} has every row once, and is charged once for each`,
        isExact,
        `${rows} rows, ${distinctRows} distinct, ${end}, used, reserved, left ${usage}`,
      )
    }
    await checkInvariants(drill, installation)
    drill.figure('kills', compared.kills)
  },
}

/** Adds stores and contacts, so that exports have several chunks. */
async function fill({ folder, isShort }: Drill, { commands }: Installation): Promise<void> {
  const records = [...generateStores(isShort ? 9_000 : 22_000, 29)]
  const people = [...generateContacts(records.slice(0, 4_000), 2, 29)]
  await importRecords(commands, 'stores', join(folder, 'stores.ndjson'), records)
  await importRecords(commands, 'contacts', join(folder, 'contacts.ndjson'), people)
}

async function hasProgress({ service }: Installation, jobs: readonly ExportJob[]): Promise<boolean> {
  let hasAdvanced = false
  for (const job of jobs.filter(({ hasEnded }) => !hasEnded))
    hasAdvanced = (await followExport(service, job)) || hasAdvanced
  return hasAdvanced || jobs.every(({ hasEnded }) => hasEnded)
}

async function followToEnd(installation: Installation, jobs: readonly ExportJob[]): Promise<void> {
  const haveEnded = async () => {
    await hasProgress(installation, jobs)
    return jobs.every(({ hasEnded }) => hasEnded)
  }
  if (!(await isTrueWithin(endTimeoutMs, haveEnded, 200))) throw new Error('an export does not end')
}

function differences(came: ExportOutcome, wanted: ExportOutcome): string[] {
  const names = ['end', 'cost', 'usage', 'sha256', 'rows'] as const
  return names.flatMap((name) =>
    came[name] === wanted[name] ? [] : [`${name} ${came[name]} instead of ${wanted[name]}`],
  )
}

function isUsage(usage: string, kind: JobKind, rows: number): boolean {
  const [storeExports, credits] = JSON.parse(usage) as [[number, number], [number]]
  const charged = kind === 'stores' ? storeExports[0] === rows && credits[0] === 0 : credits[0] === rows
  return charged && storeExports[1] === 0
}
