import type { BadgeTone } from '#ui/data/badge.tsx'
import type { ImportKind, ImportRow } from '../api.ts'

export const importKindNames: Record<ImportKind, string> = {
  stores: 'Stores',
  contacts: 'People',
  'stores+contacts': 'Stores and people',
}

const states: Record<ImportRow['state'], [label: string, tone: BadgeTone]> = {
  uploading: ['Uploading', 'accent'],
  ready: ['Ready', 'accent'],
  waiting: ['Waiting', 'accent'],
  checking: ['Checking', 'accent'],
  importing: ['Importing', 'accent'],
  done: ['Done', 'success'],
  stopped: ['Stopped', 'neutral'],
  failed: ['Failed', 'danger'],
  interrupted: ['Interrupted', 'warning'],
}

export function stateWords(state: ImportRow['state']): { label: string; tone: BadgeTone } {
  const [label, tone] = states[state]
  return { label, tone }
}

const texts = ['.csv', '.tsv', '.txt', '.ndjson', '.jsonl', '.json', '.gz']
/** Old spreadsheets are taken as well: the server says how each is to be saved. */
const workbooks = ['.xlsx', '.xlsm', '.xls', '.xlsb', '.ods', '.numbers']
/** The files that can be imported, by the end of their name. */
export const acceptedEndings = [...workbooks, ...texts]
