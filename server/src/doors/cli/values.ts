import { InvalidArgumentError, Option } from 'commander'
import {
  type Meter,
  maxCounterValue,
  type OverridableMeter,
  overridableMeters,
} from '../../customers/accounts/plans.ts'
import { budgetMeters } from '../../customers/auth/budgets.ts'
import { readUserAddress } from '../../foundation/kernel/mail/user-address.ts'
import { parseTimestamp as readMoment } from '../../foundation/kernel/time.ts'

/** Parsers of option values. An invalid value is wrong usage: the command exits with 2 before anything is opened. */

/** An option with a fixed list of values. */
export function choiceOption(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values)
}

export function parseName(value: string): string {
  const name = value.trim()
  if (!name || name.length > 200) throw new InvalidArgumentError('Give 1 to 200 characters.')
  return name
}

export function parseEmail(value: string): string {
  const address = readUserAddress(value)
  if (address === null) throw new InvalidArgumentError('Give a plain email address, like mara@aurora.example.')
  return address
}

/** The address of an existing user, which may be one that new users cannot have. */
export function parseKnownEmail(value: string): string {
  if (value.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(value)) throw new InvalidArgumentError('Give an email address.')
  return value
}

/** Parses an ISO 8601 timestamp with time and offset. */
export function parseTimestampFlag(value: string): Date {
  const moment = readMoment(value)
  if (moment === null) throw new InvalidArgumentError('Give a date and time with offset, like 2027-01-31T12:00:00Z.')
  return new Date(moment)
}

/** The same, or `none` to remove it. The string stays, because commander replaces null by an empty text. */
export function parseTimestampOrNone(value: string): Date | 'none' {
  return value === 'none' ? value : parseTimestampFlag(value)
}

const longestTrialDays = 365

export function parseTrialDays(value: string): number {
  const days = /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN
  if (!(days >= 1 && days <= longestTrialDays))
    throw new InvalidArgumentError(`Give a whole number of days from 1 to ${longestTrialDays}.`)
  return days
}

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestOverlapMs = 90 * unitsMs.d!

export function parseDurationMs(value: string): number {
  const [, count, unit] = /^(\d{1,7})([smhd])$/.exec(value) ?? []
  const durationMs = value === '0' ? 0 : Number(count) * unitsMs[unit ?? '']!
  if (!(durationMs <= longestOverlapMs))
    throw new InvalidArgumentError('Give a number and a unit, like 30m, 1h or 2d, up to 90d, or 0.')
  return durationMs
}

export type LimitChanges = Partial<Record<OverridableMeter, number | null>>

/** Collects repeated `--limit METER=N`; `METER=default` removes the override. */
export function collectLimit(value: string, previous: LimitChanges = {}): LimitChanges {
  const [name, figure, ...rest] = value.split('=')
  const meter = overridableMeters.find((each) => each === name)
  if (!meter) throw new InvalidArgumentError(`The meters are ${overridableMeters.join(', ')}.`)
  const count = figure === 'default' ? null : /^\d{1,10}$/.test(figure ?? '') ? Number(figure) : Number.NaN
  if (rest.length > 0 || Number.isNaN(count) || (count ?? 0) > maxCounterValue)
    throw new InvalidArgumentError(`Give ${meter}= a whole number from 0 to ${maxCounterValue}, or default.`)
  return { ...previous, [meter]: count }
}

export type BudgetFlags = Partial<Record<Meter, number | null>>

/** Collects repeated `--budget METER=N`; where budgets are changed, `METER=none` removes one. */
export function collectBudget({ allowsNone }: { allowsNone: boolean }) {
  return (value: string, previous: BudgetFlags = {}): BudgetFlags => {
    const [name, figure, ...rest] = value.split('=')
    const meter = budgetMeters.find((each) => each === name)
    if (!meter) throw new InvalidArgumentError(`The meters are ${budgetMeters.join(', ')}.`)
    if (meter in previous) throw new InvalidArgumentError(`Give ${meter} once.`)
    const isNone = allowsNone && figure === 'none'
    const limit = /^\d{1,10}$/.test(figure ?? '') ? Number(figure) : Number.NaN
    if (!isNone && (rest.length > 0 || !(limit <= maxCounterValue)))
      throw new InvalidArgumentError(
        `Give ${meter}= a whole number from 0 to ${maxCounterValue}${allowsNone ? ', or none' : ''}.`,
      )
    return { ...previous, [meter]: isNone ? null : limit }
  }
}

/** Parses a list with commas between values of a fixed list. */
export function parseValues<T extends string>(values: readonly T[]) {
  const collect = collectValues(values)
  return (list: string): T[] => list.split(',').reduce((found: T[], value) => collect(value.trim(), found), [])
}

/** Collects repeated options with a fixed list of values. */
export function collectValues<T extends string>(values: readonly T[]) {
  return (value: string, previous: T[] = []): T[] => {
    const known = values.find((each) => each === value)
    if (!known) throw new InvalidArgumentError(`Allowed are ${values.join(', ')}.`)
    return previous.includes(known) ? previous : [...previous, known]
  }
}
