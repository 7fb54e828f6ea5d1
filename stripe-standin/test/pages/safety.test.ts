import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Shop } from '../support/shop.ts'

let shop: Shop
beforeEach(async () => {
  shop = await Shop.open()
})
afterEach(() => shop.close())

const hostile = `<script>alert("1")</script>'&`

test('every page says that it is a local stand-in and that no money moves', async () => {
  const { customer, subscription } = await shop.subscriber()
  const checkout = await shop.checkout({ customer: customer.id })
  const portal = await shop.portal(customer.id)
  const paths = [
    checkout.path,
    portal.path,
    `${portal.path}/card`,
    `${portal.path}/plans/${subscription.id}`,
    `${portal.path}/change/${subscription.id}?price=price_standin_business_monthly`,
    `${portal.path}/cancel/${subscription.id}`,
    '/pay/checkout/cs_unknown',
    '/pay/nothing',
  ]
  for (const path of paths) {
    const { html } = await shop.get(path)
    expect(html, path).toContain('Local stand-in for Stripe:')
    expect(html, path).toContain('no money moves')
    expect(html, path).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html.match(/<h1>/g), path).toHaveLength(1)
  }
})

test('a browser gets a page for the address itself and for unknown paths, a program an error of the API', async () => {
  const ask = (url: string, accept: string) => shop.app.inject({ url, headers: { accept } })
  const ofBrowsers = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const start = await ask('/', ofBrowsers)
  expect([start.statusCode, start.body.includes('Nothing to do here yet')]).toEqual([200, true])
  const unknown = await ask('/nothing', ofBrowsers)
  expect([unknown.statusCode, unknown.body.includes('This link is not valid')]).toEqual([404, true])
  for (const accept of ['*/*', 'application/json']) {
    const { statusCode, body } = await ask('/nothing', accept)
    expect([statusCode, JSON.parse(body).error.type]).toEqual([404, 'invalid_request_error'])
  }
})

test('unknown links get an error page', async () => {
  for (const path of ['checkout/cs_x', 'portal/bps_x', 'confirm/bps_x', 'portal/bps_x/card', 'portal/__proto__', 'x']) {
    for (const page of [await shop.get(`/pay/${path}`), await shop.post(`/pay/${path}`, { token: 'x' })]) {
      expect(page.status, path).toBe(404)
      expect(page.heading, path).toBe('This link is not valid')
    }
  }
})

test('pages allow no scripts, frames or external content, and are not cached', async () => {
  const { path } = await shop.checkout()
  const { headers } = await shop.get(path)
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/service\.example; base-uri 'none'; frame-ancestors 'none'$/,
  )
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-type': 'text/html; charset=utf-8',
  })
})

test('stored text is escaped', async () => {
  const customer = await shop.customer()
  // The API rejects such an email; the pages do not rely on it.
  await shop.standin.change(({ db }) => {
    db.update('customers', db.getOrThrow('customers', customer.id), { email: hostile })
    db.update('products', db.getOrThrow('products', 'prod_standin_pro'), { name: hostile })
  })
  const checkout = await shop.checkout({ customer: customer.id })
  const portal = await shop.portal(customer.id)
  for (const { path } of [checkout, portal]) {
    const { html } = await shop.get(path)
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;')
  }
})

// The API rejects such URLs; the pages do not rely on it.
const bendUrls = (id: string, url: string) =>
  shop.standin.change(({ db }) => {
    db.update('checkout_sessions', db.getOrThrow('checkout_sessions', id), { success_url: url, cancel_url: url })
  })

test('a URL with another scheme becomes neither a link nor a redirect', async () => {
  const { id, path } = await shop.checkout({ customer: (await shop.customer()).id })
  await bendUrls(id, 'javascript:alert(1)')
  expect((await shop.get(path)).html).not.toContain('javascript:')
  const reply = await shop.send(path, { card: 'works' })
  expect(reply.location).toBeUndefined()
  expect(reply.heading).toBe('This link was already used')
})

test('a URL with unusual characters is sent in ASCII and cannot inject a header', async () => {
  const { id, path } = await shop.checkout({ customer: (await shop.customer()).id })
  await bendUrls(id, 'https://bücher.example/ça va?\r\nSet-Cookie: x=1')
  const reply = await shop.send(path, { card: 'works' })
  expect(reply.location).toBe('https://xn--bcher-kva.example/%C3%A7a%20va?Set-Cookie:%20x=1')
  expect(reply.headers).not.toHaveProperty('set-cookie')
})

test('a form without a valid token changes nothing and shows the current state', async () => {
  const { customer, subscription } = await shop.subscriber()
  const portal = await shop.portal(customer.id)
  const other = await shop.portal(customer.id)
  const home = portal.path
  const alien = (await shop.get(`${other.path}/card`)).hidden(`${other.path}/card`)
  for (const token of ['', 'AAAA', alien.token!]) {
    const refused = [
      await shop.post(`${home}/card`, { token, card: 'works' }),
      await shop.post(`${home}/cancel/${subscription.id}`, { token }),
      await shop.post(`${home}/change/${subscription.id}`, {
        token,
        price: 'price_standin_business_monthly',
        card: 'works',
      }),
    ]
    for (const page of refused) {
      expect(page.status).toBe(403)
      expect(page.notice).toContain('Nothing was changed')
    }
  }
  expect(await shop.subscription(subscription.id)).toEqual(subscription)
})

test('a card that the page does not offer is rejected', async () => {
  const { path } = await shop.checkout({ customer: (await shop.customer()).id })
  for (const card of ['on_file', 'constructor', '']) expect((await shop.send(path, { card })).status).toBe(403)
})

test('a body that is not a form, or too large, gets an error page', async () => {
  const { path: url } = await shop.checkout()
  const json = await shop.app.inject({ method: 'POST', url, payload: { token: 'x' } })
  expect(json.statusCode).toBe(415)
  expect(json.body).toContain('Invalid request')
  expect((await shop.post(url, { token: 'x'.repeat(20_000) })).status).toBe(413)
})

test('an internal error gets a page without details', async () => {
  const { path } = await shop.checkout()
  const form = { ...(await shop.get(path)).hidden(path), card: 'works' }
  vi.spyOn(shop.standin, 'read').mockRejectedValue(new Error('of the disk'))
  vi.spyOn(shop.standin, 'change').mockRejectedValue(new Error('of the disk'))
  for (const page of [await shop.get(path), await shop.post(path, form)]) {
    expect([page.status, page.heading]).toEqual([500, 'This did not work'])
    expect(page.html).not.toContain('of the disk')
  }
  vi.restoreAllMocks()
})
