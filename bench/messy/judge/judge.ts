import type { Pool } from '../../../server/src/foundation/db/pool.ts'
import type { ContactSeals } from '../../../server/src/foundation/encryption/keyring.ts'
import type { Sheet } from '../records/rows.ts'
import type { LineTruth, MessyFile } from '../truth.ts'
import { readContacts, readStores } from './catalogue.ts'
import { Comparer, contactDefaults, type RecordComparison, storeDefaults } from './compare.ts'
import { applyLine, ExpectedCatalogue, keyOf, readTruth } from './expected.ts'
import type { Rejects } from './rejects.ts'
import { type Problem, ReportCheck, type ReportDeviation } from './report-check.ts'

export type Kind = 'stores' | 'contacts'

export interface Installation {
  db: Pool
  seals: ContactSeals
}

export interface Verdict {
  /** Rows that stand for a record. */
  records: number
  taken: number
  shareIn: number
  comparison: RecordComparison
  /** Lines that were rejected although they can be read, and lines that were taken although they cannot. */
  wronglyRejected: number[]
  wronglyTaken: number[]
  reportDeviations: ReportDeviation[]
  wrongExamples: Problem[]
}

/** The truth of one file, and what must be in the catalogue after each import of it. */
export class Judge {
  readonly kind: Kind
  readonly sheet: Sheet
  /** Of the rejected lines only. */
  readonly rejectedTruths = new Map<number, LineTruth>()
  readonly #file: MessyFile

  constructor(kind: Kind, sheet: Sheet, file: MessyFile) {
    this.kind = kind
    this.sheet = sheet
    this.#file = file
  }

  /** Compares the catalogue with the truth after the first import of the file. */
  async judge(installation: Installation, rejects: Rejects | null, problems: readonly Problem[]): Promise<Verdict> {
    const rejected = new Set(rejects?.rows.map(({ line }) => line))
    const expected = new ExpectedCatalogue()
    const report = new ReportCheck()
    const verdict = { records: 0, taken: 0, wronglyRejected: [] as number[], wronglyTaken: [] as number[] }
    await readTruth(this.#file.truthFile, (truth) => {
      const isRejected = rejected.has(truth.line)
      if (truth.meant) verdict.records++
      if (isRejected) {
        this.rejectedTruths.set(truth.line, truth)
        if (truth.rejected === 'no') verdict.wronglyRejected.push(truth.line)
        report.addLine(truth, true)
        return
      }
      if (!truth.meant) {
        // A row of empty cells is skipped; a header or a line of totals is no record.
        if (truth.rejected === 'yes') verdict.wronglyTaken.push(truth.line)
        return
      }
      verdict.taken++
      if (truth.rejected === 'yes') verdict.wronglyTaken.push(truth.line)
      report.addLine(truth, false)
      applyLine(expected, keyOf[this.kind](truth.values), truth)
    })
    const comparison = await this.#compare(installation, expected)
    return {
      ...verdict,
      shareIn: verdict.taken / verdict.records,
      comparison,
      reportDeviations: report.compare(problems, comparison),
      wrongExamples: report.wrongExamples(problems),
    }
  }

  /** Compares again once the mended rejects are imported. */
  async judgeMended(installation: Installation): Promise<RecordComparison> {
    const expected = new ExpectedCatalogue()
    await readTruth(this.#file.truthFile, (truth) => {
      if (truth.meant && !this.rejectedTruths.has(truth.line))
        applyLine(expected, keyOf[this.kind](truth.values), truth)
    })
    for (const { line, meant } of this.rejectedTruths.values())
      if (meant) applyLine(expected, keyOf[this.kind](meant), { line, values: meant, optional: [] })
    return this.#compare(installation, expected)
  }

  async #compare({ db, seals }: Installation, expected: ExpectedCatalogue): Promise<RecordComparison> {
    const comparer = new Comparer(expected, this.kind === 'stores' ? storeDefaults : contactDefaults)
    const domains = new Map<number, string>()
    for await (const { id, values } of readStores(db)) {
      domains.set(id, values.domain as string)
      if (this.kind === 'stores') comparer.compare(keyOf.stores(values), values)
    }
    if (this.kind === 'contacts')
      for await (const values of readContacts(db, seals, domains)) comparer.compare(keyOf.contacts(values), values)
    return this.#withFaults(comparer.finish())
  }

  /** Adds what is wrong with the lines of the first deviations. */
  async #withFaults(comparison: RecordComparison): Promise<RecordComparison> {
    const deviations = [...comparison.wrong, ...comparison.lost]
    const faults = new Map(deviations.flatMap(({ lines }) => lines.map((line) => [line, [] as string[]])))
    if (faults.size > 0) await readTruth(this.#file.truthFile, (truth) => faults.get(truth.line)?.push(...truth.faults))
    for (const deviation of deviations) deviation.faults = deviation.lines.flatMap((line) => faults.get(line)!)
    return comparison
  }
}
