import { expect } from 'vitest'
import type { TestClient } from '../../support/client.ts'

/** Does in the portal what a person does to change the plan: looks at the change, and confirms it. */
export async function choosePlanInPortal(key: TestClient, subscription: string, price: string): Promise<void> {
  const { url } = (await key.post('/billing/portal-link', undefined)).body
  const address = `${url}/change/${subscription}?price=${price}`
  const page = await (await fetch(address)).text()
  const [, action] = /<form method="post" action="([^"]+)"/.exec(page)!
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const body = new URLSearchParams({
    ...Object.fromEntries(fields.map(([, name, value]) => [name!, value!])),
    card: 'on_file',
  })
  const reply = await fetch(new URL(action!, address), { method: 'POST', body, redirect: 'manual' })
  expect(reply.status).toBe(303)
}
