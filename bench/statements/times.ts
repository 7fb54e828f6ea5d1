import type { VersionName } from '../compare/versions.ts'
import { median } from '../support/statistics.ts'
import type { TimedStatement } from './replay.ts'

/** Medians of both versions, and the ratio new to old. */
export interface ComparedTimes {
  name: string
  /** How often the new version's was timed. */
  executions: number
  oldMs: number
  newMs: number
  ratio: number
}

interface ComparedOperation extends ComparedTimes {
  oldStatements: number
  newStatements: number
}

export interface TimesReport {
  /** Statements that both versions have under one name, with different texts. */
  changed: ComparedTimes[]
  /** All statements of one request or command together. */
  operations: ComparedOperation[]
  /** Statements with different texts that were timed too seldom to be compared. */
  seldom: string[]
  /** Statements that only one version sends. */
  onlyOld: string[]
  onlyNew: string[]
  /** Statements that failed when they were sent again. */
  failed: string[]
}

/** The first executions on a connection are parsed, and planned for their values. */
const fewestExecutions = 20

interface TimesOfVersion {
  text: string
  ms: number[]
}

interface TotalsOfVersion {
  ms: number[]
  statements: number[]
}

/** Collects the times of statements, and of operations. */
export class Times {
  readonly #statements: Record<VersionName, Map<string, TimesOfVersion>> = { old: new Map(), new: new Map() }
  readonly #operations: Record<VersionName, Map<string, TotalsOfVersion>> = { old: new Map(), new: new Map() }
  readonly #failed = new Set<string>()

  /** Adds what one step took; a step with a failure does not count for its operation. */
  add(version: VersionName, operation: string, timed: readonly TimedStatement[]): void {
    for (const { name, text, ms } of timed) {
      if (ms === null) this.#failed.add(`${version}: ${name}`)
      else entryOf(this.#statements[version], name, () => ({ text, ms: [] })).ms.push(ms)
    }
    if (timed.length === 0 || timed.some(({ ms }) => ms === null)) return
    const totals = entryOf(this.#operations[version], operation, () => ({ ms: [], statements: [] }))
    totals.ms.push(timed.reduce((sum, { ms }) => sum + ms!, 0))
    totals.statements.push(timed.length)
  }

  compare(): TimesReport {
    const { old, new: current } = this.#statements
    const changed = [...old].flatMap(([name, before]) => {
      const after = current.get(name)
      return after && isPreparedName(name) && after.text !== before.text
        ? [{ name, before: before.ms, after: after.ms }]
        : []
    })
    const isOften = ({ before, after }: (typeof changed)[number]) =>
      Math.min(before.length, after.length) >= fewestExecutions
    const operations = [...this.#operations.old].flatMap(([name, before]): ComparedOperation[] => {
      const after = this.#operations.new.get(name)
      if (!after) return []
      const counts = { oldStatements: median(before.statements), newStatements: median(after.statements) }
      return [{ ...comparisonOf(name, before.ms, after.ms), ...counts }]
    })
    return {
      changed: changed.filter(isOften).map(({ name, before, after }) => comparisonOf(name, before, after)),
      seldom: changed.filter((each) => !isOften(each)).map(({ name }) => name),
      operations,
      onlyOld: [...old.keys()].filter((name) => !current.has(name)),
      onlyNew: [...current.keys()].filter((name) => !old.has(name)),
      failed: [...this.#failed].sort(),
    }
  }
}

/** Texts without a name have spaces, and values that differ each time. */
function isPreparedName(name: string): boolean {
  return !name.includes(' ')
}

function comparisonOf(name: string, before: readonly number[], after: readonly number[]): ComparedTimes {
  const [oldMs, newMs] = [median(before), median(after)]
  return { name, executions: after.length, oldMs, newMs, ratio: newMs / oldMs }
}

function entryOf<V>(map: Map<string, V>, name: string, make: () => V): V {
  const existing = map.get(name)
  if (existing) return existing
  const made = make()
  map.set(name, made)
  return made
}
