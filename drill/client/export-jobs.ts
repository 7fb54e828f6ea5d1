import { createHash } from 'node:crypto'
import { requestJson } from '../installation/seed.ts'
import type { Service } from '../installation/service.ts'
import { HttpConnection, jsonOf, requestOnce, requestText } from './http-connection.ts'

export type JobKind = 'stores' | 'contacts'

interface Export {
  id: string
  status: string
  stopped_by: string | null
  progress: { rows: number }
  cost: { store_exports: number; contact_credits: number }
  file: { sha256: string; rows: number } | null
}

/** An export of an account that has none before. */
export interface ExportJob {
  kind: JobKind
  key: string
  id: string
  rows: number
  hasEnded: boolean
}

/** What an export gave and cost, in texts that can be compared. */
export interface ExportOutcome {
  end: string
  cost: string
  /** What the account has used, has reserved if that is told, and has left, of both meters. */
  usage: string
  sha256: string
  rows: number
  /** Rows that occur once. */
  distinctRows: number
}

const all = 1_000_000

/** Bodies whose files depend on the catalogue alone: a contact's id and email, not when it was revealed. */
const bodies = {
  stores: { kind: 'stores', filters: {}, max_rows: all },
  contacts: { kind: 'contacts', person: {}, columns: ['id', 'email'], max_rows: all, max_credits: all },
} as const

/** Asks for an export. */
export async function startExport({ origin }: Service, kind: JobKind, key: string): Promise<ExportJob> {
  const body = bodies[kind]
  const answer = await requestOnce(origin, requestText('POST', '/api/v1/exports', { key, body }))
  if (answer.status !== 201) throw new Error(`POST /exports: ${answer.status === null ? answer.loss : answer.body}`)
  return { kind, key, id: jsonOf<Export>(answer).id, rows: 0, hasEnded: false }
}

/** Reads how far an export is. Returns whether it has more rows than at the last reading. */
export async function followExport({ origin }: Service, job: ExportJob): Promise<boolean> {
  const text = requestText('GET', `/api/v1/exports/${job.id}`, { key: job.key })
  const answer = await requestOnce(origin, text, 2_500)
  if (answer.status !== 200) return false
  const { status, progress } = jsonOf<Export>(answer)
  const hasAdvanced = progress.rows > job.rows
  job.rows = progress.rows
  job.hasEnded = status !== 'queued' && status !== 'running'
  return hasAdvanced
}

/** Downloads the file of an export that has ended, and reads what it cost. */
export async function readOutcome({ origin }: Service, { id, key }: ExportJob): Promise<ExportOutcome> {
  const connection = new HttpConnection(origin)
  try {
    const ended = await requestJson<Export>(connection, 'GET', `/api/v1/exports/${id}`, { key })
    const usage = await requestJson<
      Record<'store_exports' | 'contact_credits', { used: number; reserved?: number; remaining: number }>
    >(connection, 'GET', '/api/v1/usage', { key })
    const file = await connection.request(requestText('GET', `/api/v1/exports/${id}/file`, { key }))
    if (file.status !== 200) throw new Error(`GET /exports/${id}/file: ${file.status ?? file.loss}`)
    const sha256 = createHash('sha256').update(file.body).digest('hex')
    if (sha256 !== ended.file?.sha256) throw new Error(`the file of ${id} is not what the export says`)
    // No cell of the drill's records has a line break.
    const lines = file.body.toString('utf8').split('\r\n').slice(1, -1)
    const { store_exports, contact_credits } = usage
    return {
      end: `${ended.status}, ${ended.stopped_by}`,
      cost: JSON.stringify(ended.cost),
      usage: JSON.stringify(
        [store_exports, contact_credits].map(({ used, reserved = null, remaining }) => [used, reserved, remaining]),
      ),
      sha256,
      rows: lines.length,
      distinctRows: new Set(lines).size,
    }
  } finally {
    connection.close()
  }
}
