/** What a user of each generator writes: four calls, which print the plan, the store's domain and the revealed address. */
export const callsOf: Record<string, string> = {
  'openapi-typescript': `
import type { components, operations } from './openapi-typescript.ts'
import { address, secret } from './settings.ts'

type Body<T extends keyof operations> = operations[T] extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined
type Reply<T extends keyof operations> = operations[T] extends { responses: { 200: { content: { 'application/json': infer R } } } } ? R : never

async function call<T extends keyof operations>(method: string, path: string, body?: Body<T>): Promise<Reply<T>> {
  const headers = { authorization: 'Bearer ' + secret, ...(body !== undefined && { 'content-type': 'application/json' }) }
  const reply = await fetch(address + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  if (!reply.ok) throw new Error(((await reply.json()) as components['schemas']['Error']).error.code)
  return (await reply.json()) as Reply<T>
}

const usage = await call<'getUsage'>('GET', '/usage')
const stores = await call<'searchStores'>('POST', '/stores/search', { filters: { countries: ['DE'] }, limit: 1 })
const people = await call<'searchContacts'>('POST', '/contacts/search', { limit: 1 })
const revealed = await call<'revealContacts'>('POST', '/contacts/reveal', { contact_ids: people.data.map(({ id }) => id) })
console.log([usage.plan.slug, stores.data[0]?.domain, revealed.data[0]?.emails[0]?.email].join(' '))
`,
  'swagger-typescript-api': `
import { Api } from './swagger-typescript-api.ts'
import { address, secret } from './settings.ts'

const api = new Api({ baseUrl: address, baseApiParams: { headers: { authorization: 'Bearer ' + secret }, format: 'json' } })
const usage = await api.usage.getUsage()
const stores = await api.stores.searchStores({ filters: { countries: ['DE'] }, limit: 1 })
const people = await api.contacts.searchContacts({ limit: 1 })
const revealed = await api.contacts.revealContacts({ contact_ids: people.data.data.map(({ id }) => id) })
console.log([usage.data.plan.slug, stores.data.data[0]?.domain, revealed.data.data[0]?.emails[0]?.email].join(' '))
`,
  orval: `
import { getUsage, revealContacts, searchContacts, searchStores } from './orval.ts'
import { secret } from './settings.ts'

const options = { headers: { authorization: 'Bearer ' + secret } }
function taken<R extends { status: number; data: unknown }>(reply: R): Extract<R, { status: 200 }>['data'] {
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.data))
  return reply.data as Extract<R, { status: 200 }>['data']
}
const usage = taken(await getUsage(options))
const stores = taken(await searchStores({ filters: { countries: ['DE'] }, limit: 1 }, options))
const people = taken(await searchContacts({ limit: 1 }, options))
const revealed = taken(await revealContacts({ contact_ids: people.data.map(({ id }) => id) }, options))
console.log([usage.plan.slug, stores.data[0]?.domain, revealed.data[0]?.emails[0]?.email].join(' '))
`,
  'hey-api': `
import { client } from './hey-api/client.gen.ts'
import { getUsage, revealContacts, searchContacts, searchStores } from './hey-api/index.ts'
import { address, secret } from './settings.ts'

client.setConfig({ baseUrl: address, auth: secret, throwOnError: true })
const throwOnError = true
const usage = await getUsage({ throwOnError })
const stores = await searchStores({ throwOnError, body: { filters: { countries: ['DE'] }, limit: 1 } })
const people = await searchContacts({ throwOnError, body: { limit: 1 } })
const revealed = await revealContacts({ throwOnError, body: { contact_ids: people.data.data.map(({ id }) => id) } })
console.log([usage.data.plan.slug, stores.data.data[0]?.domain, revealed.data.data[0]?.emails[0]?.email].join(' '))
`,
}
