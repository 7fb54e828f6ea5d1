/** What the fields of a record have in common, whatever it tells of. */
import { type TSchema, Type } from 'typebox'
import { normalizeDomain } from '../kernel/domain.ts'
import { Nullable } from '../kernel/shapes.ts'
import { quoted, RecordProblem } from './problem.ts'

export const Host = Type.String({ maxLength: 2_048 })
export const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
export const Word = Type.String({ maxLength: 200 })
/** A field that may be missing, and may be null. */
export const Given = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** What a record says of a field: undefined keeps what is there, null clears it. */
export type Patched<T> = T | null | undefined

/** Reads a field that was given a value. */
export function when<T, R>(given: T, read: (value: NonNullable<T>) => R): Patched<R> {
  if (given === undefined || given === null) return given as null | undefined
  return read(given)
}

/** A field after a record. */
export function patched<T>(patch: Patched<T>, current: T, cleared: T): T {
  if (patch === undefined) return current
  return patch === null ? cleared : patch
}

export function readHost(path: string, text: string): string {
  const host = normalizeDomain(text)
  if (host === null) throw new RecordProblem(`${path}: ${quoted(text)} is not a domain`)
  return host
}

/** PostgreSQL keeps no NUL, and a lone surrogate is no character. */
export function readText(path: string, text: string): string {
  if (text.trim() === '') throw new RecordProblem(`${path}: must not be blank`)
  if (!text.isWellFormed() || text.includes('\0'))
    throw new RecordProblem(`${path}: holds characters that are not valid text`)
  return text
}
