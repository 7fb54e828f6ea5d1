import type { ImportResult } from '../../imports/import-file.ts'
import type { Problem } from '../../imports/problems.ts'
import type { JobProblem, JobReportPart } from '../job.ts'
import { fieldsOf } from '../kinds.ts'
import type { ImportKindName } from '../options.ts'

const maxProblems = 200

/**
 * The counts and problems of a run as they are stored. Of files with contacts nothing is stored that may be somebody's: no
 * values, and no names that the file gives to what is no field.
 */
export function describePart(of: JobReportPart['of'], result: ImportResult, kind: ImportKindName): JobReportPart {
  const { read, inserted, updated, unchanged, rejected, dropped, would_take_with_drop, seconds } = result
  const describe = (problems: readonly Problem[]) => {
    const described = problems
      .slice(0, maxProblems)
      .map(({ example, ...problem }): JobProblem => ({ ...problem, line: example.line, value: example.value }))
    return kind === 'stores' ? described : withoutPersonalData(described, kind)
  }
  return {
    ...{ of, read, inserted, updated, unchanged, rejected, dropped, would_take_with_drop, seconds },
    problems: describe(result.problems),
    notices: describe(result.notices),
  }
}

function withoutPersonalData(problems: readonly JobProblem[], kind: ImportKindName): JobProblem[] {
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
