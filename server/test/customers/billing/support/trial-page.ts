import { expect } from 'vitest'
import type { TestApp } from '../../../support/app.ts'

/** A response of the trial page. */
export interface TrialPage {
  status: number
  headers: Headers
  text: string
  /** The signed value of its form; null if there is no form. */
  confirmation: string | null
}

/** The headers that browsers send with a form of our own page. */
const sameOriginHeaders = { 'sec-fetch-site': 'same-origin', origin: 'null' }

/** The link with the origin of the test's app. */
export function toLocalUrl(app: TestApp, link: string): string {
  const { pathname, search } = new URL(link)
  return app.url + pathname + search
}

export async function show(url: string, init: RequestInit = {}): Promise<TrialPage> {
  const reply = await fetch(url, { redirect: 'manual', ...init })
  const text = await reply.text()
  const confirmation = /name="confirmation" value="([^"]+)"/.exec(text)?.[1] ?? null
  return { status: reply.status, headers: reply.headers, text, confirmation }
}

/** The page without its request id, which is random and could contain any short word. */
export function textWithoutRequestId({ text, headers }: TrialPage): string {
  return text.replace(headers.get('x-request-id')!, '')
}

/** Submits the form of a page with this confirmation. */
export function send(
  url: string,
  confirmation: string | null,
  headers: Record<string, string> = sameOriginHeaders,
): Promise<TrialPage> {
  const body = new URLSearchParams(confirmation === null ? {} : { confirmation })
  return show(url, { method: 'POST', body, headers })
}

/** Opens the page, submits its form, and follows a redirect. */
export async function confirm(url: string): Promise<TrialPage> {
  const { confirmation } = await show(url)
  expect(confirmation).not.toBeNull()
  const answer = await send(url, confirmation)
  const location = answer.headers.get('location')
  return location === null ? answer : show(new URL(location, url).href)
}
