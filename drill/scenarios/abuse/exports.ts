import { setTimeout as delay } from 'node:timers/promises'
import { Counts } from '../../../server/test/promises/clients/support/counts.ts'
import { HttpConnection, jsonOf, labelOf, requestText } from '../../client/http-connection.ts'
import type { Installation } from '../../installation/installation.ts'
import { makeAccount, requestJson } from '../../installation/seed.ts'
import type { Drill } from '../../scenario.ts'

/** As in the plan `pro`; the account's other limits are out of the way. */
const readyExports = 50
const wanted = 60
const maxAttempts = 400
const maxEndMs = 60_000

interface Export {
  id: string
  status: string
  file: { bytes: number } | null
}

interface Refusal {
  error: { message: string }
}

/** One account asks for the same export again and again; only the first one costs something. */
export async function abuseExports(drill: Drill, { service, commands }: Installation): Promise<void> {
  const { id: accountId, key } = await makeAccount(commands, 'exports', true)
  await commands.run('accounts', 'set', accountId, '--limit', `ready_exports=${readyExports}`)
  const connection = new HttpConnection(service.origin)
  drill.cleanup.add(() => connection.close())
  const body = { kind: 'stores', filters: {}, max_rows: 1_000_000 }
  const answers = new Counts()
  const ids: string[] = []
  let refusal = ''
  for (let attempt = 0; attempt < maxAttempts && ids.length < wanted && refusal === ''; attempt++) {
    const answer = await connection.request(requestText('POST', '/api/v1/exports', { key, body }))
    answers.add(labelOf(answer))
    if (answer.status === 201) ids.push(jsonOf<Export>(answer).id)
    else if (answer.status === 429 && jsonOf<Refusal>(answer).error.message.includes('DELETE'))
      refusal = String(answer.body)
    // Twenty of them are waiting to be written.
    else await delay(100)
  }
  let bytes = 0
  const deadline = performance.now() + maxEndMs
  for (const id of ids) {
    let found: Export
    do {
      found = await requestJson<Export>(connection, 'GET', `/api/v1/exports/${id}`, { key })
      if (found.status !== 'queued' && found.status !== 'running') break
      await delay(50)
    } while (performance.now() < deadline)
    bytes += found.file?.bytes ?? 0
  }
  const isNamed = ids[0] !== undefined && refusal.includes(ids[0])
  drill.check(
    `of ${wanted} identical exports the last are refused, by a sentence that names the oldest`,
    isNamed,
    `${answers}; ${refusal.slice(0, 400)}`,
  )
  await requestJson(connection, 'DELETE', `/api/v1/exports/${ids[0]}`, { key })
  const next = await connection.request(requestText('POST', '/api/v1/exports', { key, body }))
  drill.check('one export more is taken after the deletion of one', next.status === 201, labelOf(next))
  drill.figure('ready exports, and their bytes', `${ids.length} exports, ${bytes} bytes`)
}
