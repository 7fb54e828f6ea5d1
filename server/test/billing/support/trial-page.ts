import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'

/** The trial page as a browser gets it. */
export interface Shown {
  status: number
  headers: Headers
  text: string
  /** What its form sends; null when the page has none. */
  confirmation: string | null
}

/** What a browser tells of a form that it sends from our own page. */
const ownForm = { 'sec-fetch-site': 'same-origin', origin: 'null' }

/** A link of a reply, at the address where the app of a test listens. */
export function reachable(app: TestApp, link: string): string {
  const { pathname, search } = new URL(link)
  return app.url + pathname + search
}

export async function show(url: string, init: RequestInit = {}): Promise<Shown> {
  const reply = await fetch(url, { redirect: 'manual', ...init })
  const text = await reply.text()
  const confirmation = /name="confirmation" value="([^"]+)"/.exec(text)?.[1] ?? null
  return { status: reply.status, headers: reply.headers, text, confirmation }
}

/** What a page tells, without the name of its request: that is random, and may hold any short word by chance. */
export function toldBy({ text, headers }: Shown): string {
  return text.replace(headers.get('x-request-id')!, '')
}

/** Sends the form of a page, or what somebody made up. */
export function send(
  url: string,
  confirmation: string | null,
  headers: Record<string, string> = ownForm,
): Promise<Shown> {
  const body = new URLSearchParams(confirmation === null ? {} : { confirmation })
  return show(url, { method: 'POST', body, headers })
}

/** Opens the page, sends its form, and follows where that leads on our own site. */
export async function confirm(url: string): Promise<Shown> {
  const { confirmation } = await show(url)
  expect(confirmation).not.toBeNull()
  const answer = await send(url, confirmation)
  const location = answer.headers.get('location')
  return location === null ? answer : show(new URL(location, url).href)
}
