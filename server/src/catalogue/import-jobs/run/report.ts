import type { ImportResult } from '../../imports/records/import-file.ts'
import type { ImportKindName, ImportProblem, ImportReport, RecordsOf } from '../../imports/records/report.ts'
import { fieldsOf } from '../kinds.ts'

const maxProblems = 200

/**
 * The counts and problems of a run as they are stored. Of files with contacts no personal data is stored: no
 * values, and no names that the file gives to what is no field.
 */
export function describePart(of: RecordsOf, result: ImportResult, kind: ImportKindName): ImportReport {
  const { read, inserted, updated, unchanged, rejected, dropped, would_take_with_drop, seconds } = result
  const describe = (problems: readonly ImportProblem[]) => {
    const first = problems.slice(0, maxProblems)
    return kind === 'stores' ? first : withoutPersonalData(first, kind)
  }
  return {
    ...{ of, read, inserted, updated, unchanged, rejected, dropped, would_take_with_drop, seconds },
    problems: describe(result.problems),
    notices: describe(result.notices),
  }
}

function withoutPersonalData(problems: readonly ImportProblem[], kind: ImportKindName): ImportProblem[] {
  const known = knownFields(kind)
  return problems.map(({ field, reason, hint, ...problem }) => ({
    ...problem,
    field: known.has(field) || /^column \d{1,4}$/.test(field) ? field : 'other field',
    reason: withoutQuotes(reason),
    hint: hint && withoutQuotes(hint),
    value: null,
  }))
}

/** A sentence without the text that it quotes; a quote that is never closed is taken to the end. */
export function withoutQuotes(sentence: string): string {
  return sentence.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '"…"')
}

/** Fields and objects of fields, as problems name them: `emails.0.email` is `emails.email`. */
function knownFields(kind: ImportKindName): Set<string> {
  const names = fieldsOf(kind).map(({ name }) => name.replace(/\.\d+/g, '').replace(/^contact\./, ''))
  const parents = names.flatMap((name) => name.split('.').map((_, index, steps) => steps.slice(0, index + 1).join('.')))
  return new Set([...parents, 'record', 'store_domain'])
}
