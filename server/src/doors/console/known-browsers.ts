import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieNameOf, isSecure, readCookie } from '../../customers/users/sessions/session-cookie.ts'
import { newToken } from '../../customers/users/tokens.ts'
import type { Signer } from '../../foundation/kernel/signer.ts'

/**
 * A cookie that says whom this browser has signed in before, signed, so that attempts from it count apart from those of
 * strangers. It is no credential: it opens nothing.
 */
const baseName = 'storedex_browser'
const dayMs = 86_400_000
const keptDays = 180
/** Of several users at one browser, the last ones. */
const maxUsers = 5

interface KnownBrowserContext {
  signer: Signer
  publicUrl: string
}

interface Recognition {
  /** The day since 1970 on which the browser signed the user in. */
  day: number
  signature: string
}

const purpose = 'browser that signed somebody in'
const textOf = (id: string, day: number, email: string) => `${id} ${day} ${email}`

/** The id of the browser, if a user with this address signed in with it in the last 180 days. */
export function knownBrowserOf(request: FastifyRequest, ctx: KnownBrowserContext, email: string): string | null {
  const cookie = readKnownBrowser(request, ctx.publicUrl)
  const today = Math.floor(request.now.getTime() / dayMs)
  const isKnown = cookie?.users.some(
    ({ day, signature }) =>
      today - day <= keptDays && ctx.signer.verify(purpose, textOf(cookie.id, day, email), signature),
  )
  return isKnown ? cookie!.id : null
}

/** Remembers that a user with this address signed in with this browser. */
export function rememberBrowser(reply: FastifyReply, { signer, publicUrl }: KnownBrowserContext, email: string): void {
  const { request } = reply
  const known = readKnownBrowser(request, publicUrl)
  const id = known?.id ?? newToken()
  const day = Math.floor(request.now.getTime() / dayMs)
  const others = known?.users.filter((each) => !signer.verify(purpose, textOf(id, each.day, email), each.signature))
  const users = [{ day, signature: signer.sign(purpose, textOf(id, day, email)) }, ...(others ?? [])]
  const value = [id, ...users.slice(0, maxUsers).map((each) => `${each.day}~${each.signature}`)].join('.')
  const secure = isSecure(request, publicUrl)
  reply.setCookie(cookieNameOf(baseName, request, publicUrl), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: (keptDays * dayMs) / 1000,
  })
}

function readKnownBrowser(request: FastifyRequest, publicUrl: string): { id: string; users: Recognition[] } | null {
  const value = readCookie(request, cookieNameOf(baseName, request, publicUrl))
  const [id, ...entries] = value?.split('.') ?? []
  if (id === undefined || !/^[\w-]{43}$/.test(id)) return null
  const users = entries.slice(0, maxUsers).flatMap((entry) => {
    const [, day, signature] = /^(\d{1,6})~([\w-]{43})$/.exec(entry) ?? []
    return day !== undefined && signature !== undefined ? [{ day: Number(day), signature }] : []
  })
  return { id, users }
}
