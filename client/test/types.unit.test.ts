import type { Writable } from 'node:stream'
import { expectTypeOf, test } from 'vitest'
import type * as client from '../src/index.ts'
import type { ContactPreview, Fetch, NodeDestination, Store, Storedex, WebDestination } from '../src/index.ts'

// Checked by `tsc`; nothing of it runs.
declare const storedex: Storedex

async function check() {
  for await (const store of storedex.stores.search({ filters: { countries: ['DE'] } }, { maxRows: 5 }))
    expectTypeOf(store).toEqualTypeOf<Store>()
  expectTypeOf(await storedex.contacts.search().toArray({ maxRows: 5 })).toEqualTypeOf<ContactPreview[]>()
  for await (const page of storedex.lists.list().pages()) expectTypeOf(page).toEqualTypeOf<client.ListPage>()
  expectTypeOf(await storedex.stores.get('shop.example')).toEqualTypeOf<client.Store>()
  expectTypeOf(storedex.usage.get()).toExtend<Promise<client.Usage>>()
  const { data, remaining } = await storedex.contacts.reveal({ contact_ids: [] }, { maxCredits: 1 }).withResponse()
  expectTypeOf(data.data).toEqualTypeOf<client.Contact[]>()
  expectTypeOf(remaining.contact_credits).toEqualTypeOf<number | undefined>()

  // @ts-expect-error a filter that does not exist
  storedex.stores.search({ filters: { country: ['DE'] } })
  // @ts-expect-error filters are required
  storedex.stores.search({})
  // @ts-expect-error not one of the kinds that a request may have
  storedex.lists.create({ name: 'Shops', kind: 'shops' })
  // @ts-expect-error an export needs a bound
  storedex.exports.create({ kind: 'stores', filters: {} })
  // @ts-expect-error maxCredits belongs to reveals
  storedex.stores.count({ filters: {} }, { maxCredits: 1 })

  // Values that come tomorrow are of the type today, and known ones are still proposed.
  const { status } = await storedex.exports.get('exp_live_1')
  expectTypeOf<'archived'>().toExtend<typeof status>()
  expectTypeOf<'ready'>().toExtend<typeof status>()
  // @ts-expect-error a text and nothing else
  const other: typeof status = 1
  return other
}

function checkErrors(error: client.StoredexError) {
  if (error.partial?.object === 'contact_reveal_result')
    expectTypeOf(error.partial).toEqualTypeOf<client.ContactRevealResult>()
  expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
  if (error.billing && 'current_limit' in error.billing)
    expectTypeOf(error.billing).toEqualTypeOf<client.TrialCreditBillingAction>()
}

test('types say what the API takes and gives', () => {
  expectTypeOf(check).toBeFunction()
  expectTypeOf(checkErrors).toBeFunction()
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>()
  expectTypeOf<AbortSignal>().toExtend<client.AbortSignalLike>()
  expectTypeOf<Writable>().toExtend<NodeDestination>()
  expectTypeOf<WritableStream<Uint8Array>>().toExtend<WebDestination>()
})
