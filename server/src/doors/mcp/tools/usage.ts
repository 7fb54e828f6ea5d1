import { callApi } from '../api-call.ts'
import { ownInput } from '../schemas.ts'
import { compactValue } from '../text.ts'
import { readsOnly, type Tool } from './tool.ts'

const usage: Tool<Record<string, never>> = {
  name: 'usage',
  title: 'Read usage',
  description: 'Plan, limits and what is left of credits, store exports, search rows and requests.',
  input: ownInput({ type: 'object', properties: {}, additionalProperties: false }),
  output: {
    type: 'object',
    properties: Object.fromEntries(
      ['plan', 'contact_credits', 'store_exports', 'search_rows', 'api_requests', 'key'].map((name) => [
        name,
        { type: 'object' },
      ]),
    ),
  },
  annotations: { ...readsOnly, idempotentHint: true },
  async run({ api }) {
    const structured = compactValue(await callApi(api, { method: 'GET', path: '/usage' })) as Record<string, unknown>
    const rows = Object.entries(structured).map(([name, figures]) => ({ [name]: figures }))
    return { says: ['Usage of the account in the mode of this key.'], rows, structured }
  },
}

export const usageTools = [usage]
