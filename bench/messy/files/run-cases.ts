import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readContacts, readStores } from '../judge/catalogue.ts'
import type { Installation } from '../judge/judge.ts'
import type { Values } from '../truth.ts'
import { type FileCase, type Outcome, storesOfContacts } from './file-case.ts'

interface CommandOutput {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs one command line of the program. */
export type RunCommand = (...args: string[]) => Promise<CommandOutput>

export interface CaseResult {
  number: number
  name: string
  flags: readonly string[]
  /**
   * right; told: less is in than could be, or another sentence was said; wrong: something is in that must not be, although
   * a fault was told; silent: wrong or missing, and nobody was told.
   */
  verdict: 'right' | 'told' | 'wrong' | 'silent'
  /** What is not as it must be. */
  deviations: readonly string[]
}

/** Imports each file as an operator does, one after the other, and judges what is in and what was said. */
export async function runFileCases(
  cases: readonly FileCase[],
  run: RunCommand,
  installation: Installation,
  folder: string,
): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  await clear(installation)
  const stores = join(folder, 'stores-of-contacts.ndjson')
  writeFileSync(stores, storesOfContacts.map((store) => `${JSON.stringify(store)}\n`).join(''))
  let hasStores = false
  // Those of contacts last: their stores are imported once.
  for (const [index, each] of cases.toSorted((a, b) => b.kind.localeCompare(a.kind)).entries()) {
    if (each.kind === 'contacts' && !hasStores) {
      await clear(installation)
      await run('import', 'stores', stores)
      hasStores = true
    }
    const own = join(folder, `case-${index}`)
    mkdirSync(own)
    const file = join(own, each.file)
    writeFileSync(file, each.bytes)
    const output = await run('import', each.kind, file, ...each.flags)
    const found = each.kind === 'stores' ? await storesOf(installation) : await contactsOf(installation)
    results.push(judgeCase(each, output, found))
    if (each.kind === 'stores') await clear(installation)
    else await installation.db.query('truncate contacts')
  }
  return results.sort((a, b) => a.number - b.number)
}

async function clear({ db }: Installation): Promise<void> {
  await db.query('truncate stores, store_domains, contacts')
}

async function storesOf({ db }: Installation): Promise<Values[]> {
  const found: Values[] = []
  for await (const { values } of readStores(db)) found.push(values)
  return found
}

async function contactsOf({ db, seals }: Installation): Promise<Values[]> {
  const domains = new Map<number, string>()
  for await (const { id, values } of readStores(db)) domains.set(id, values.domain as string)
  const found: Values[] = []
  for await (const values of readContacts(db, seals, domains)) found.push(values)
  return found
}

/** Of several outcomes that would be right, the nearest one counts. */
function judgeCase({ number, name, flags, must }: FileCase, output: CommandOutput, found: Values[]): CaseResult {
  const all = must.map((outcome) => deviationsFrom(outcome, output, found))
  const deviations = all.toSorted((a, b) => a.length - b.length)[0]!
  const isTold = output.code !== 0 || / [1-9]\d* rejected|left out|count +field/.test(output.stdout)
  const fits = must.some(({ records }) => describeRecords(records, found) === null)
  const holdsNoOther = must.some(({ records }) =>
    found.every((each) => records.some((record) => hasFields(each, record))),
  )
  const verdict =
    deviations.length === 0 ? 'right' : fits ? 'told' : !isTold ? 'silent' : holdsNoOther ? 'told' : 'wrong'
  return { number, name, flags, verdict, deviations }
}

function deviationsFrom({ exit, records, says, never }: Outcome, output: CommandOutput, found: Values[]): string[] {
  const text = `${output.stdout}\n${output.stderr}`
  const deviations = [
    output.code === exit ? null : `exit ${output.code} instead of ${exit}`,
    describeRecords(records, found),
    ...says.map((sentence) => (sentence.test(text) ? null : `does not say ${sentence}`)),
    never?.test(text) ? `says ${never}` : null,
  ].filter((deviation) => deviation !== null)
  return deviations.length === 0 ? [] : [...deviations, `it said: ${JSON.stringify(text.trim())}`]
}

/** Null if the catalogue has these records and no others. */
function describeRecords(wanted: readonly Values[], found: readonly Values[]): string | null {
  const left = [...found]
  for (const record of wanted) {
    const at = left.findIndex((each) => hasFields(each, record))
    if (at === -1) return `no ${JSON.stringify(record)} among ${JSON.stringify(found)}`
    left.splice(at, 1)
  }
  return left.length === 0 ? null : `${JSON.stringify(left)} besides`
}

function hasFields(found: Values, wanted: Values): boolean {
  return Object.entries(wanted).every(([field, value]) => isDeepStrictEqual(found[field], value))
}
