import { choiceParam, parsePagePlace, type RawSearch, textParam } from '#lib/search-params.ts'

/** The subjects of entries: the first part of their actions. */
export const auditSubjects = [
  'member',
  'invitation',
  'key',
  'list',
  'export',
  'contacts',
  'ledger',
  'billing_link',
  'trial',
  'account',
] as const
export type AuditSubject = (typeof auditSubjects)[number]

/** The page's search parameters. */
export interface AuditSearch {
  /** Public id of who did it. */
  person?: string | undefined
  subject?: AuditSubject | undefined
  cursor?: string
  page?: number
}

export function validateAuditSearch(raw: RawSearch): AuditSearch {
  const person = textParam(raw.person)
  const subject = choiceParam(raw.subject, auditSubjects)
  return { ...(person && { person }), ...(subject && { subject }), ...parsePagePlace(raw) }
}
