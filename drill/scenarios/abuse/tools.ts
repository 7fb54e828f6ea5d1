import { Counts } from '../../../server/test/promises/clients/support/counts.ts'
import { HttpConnection, labelOf, requestText } from '../../client/http-connection.ts'
import type { Installation } from '../../installation/installation.ts'
import { makeAccount, requestJson } from '../../installation/seed.ts'
import type { Drill } from '../../scenario.ts'

const requests = 40
/** The most messages that a request may have. */
const messages = 10

/** A key of an account with ordinary limits asks for the list of tools, as often as it can. */
export async function abuseTools(drill: Drill, { service, commands }: Installation): Promise<void> {
  const { key } = await makeAccount(commands, 'tools', false)
  const connection = new HttpConnection(service.origin)
  drill.cleanup.add(() => connection.close())
  const { rate_limit: minute } = await requestJson<{ rate_limit: { limit: number } }>(
    connection,
    'GET',
    '/api/v1/usage',
    { key },
  )
  const body = Array.from({ length: messages }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} }))
  const headers = { accept: 'application/json, text/event-stream' }
  const answers = new Counts()
  let received = 0
  for (let sent = 0; sent < requests; sent++) {
    const answer = await connection.request(requestText('POST', '/mcp', { key, body, headers }))
    answers.add(labelOf(answer))
    if (answer.status !== null) received += answer.body.length
  }
  // A run can meet the turn of a minute.
  const mostRequests = (2 * minute.limit) / messages
  drill.check(
    `of ${requests * messages} messages to /mcp at once, no more are answered than the limit of a minute allows`,
    answers.of('200') <= mostRequests && answers.of('429') > 0,
    `${answers}; ${received} bytes`,
  )
}
