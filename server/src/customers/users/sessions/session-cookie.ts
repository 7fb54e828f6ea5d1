import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../tokens.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The hash of the token in the session's cookie; null without one. */
    readonly sessionHash: Buffer | null
  }
}

const sessionName = 'storedex_session'

const tokenShape = /^[\w-]{43}$/

/** Longer than any session: the database decides when it ends. */
const maxAgeSeconds = 90 * 86_400

/** Adds `request.sessionHash`. */
export function registerSessionCookie(app: FastifyInstance, publicUrl: string): void {
  // Without its hook, which would parse the cookies of every request.
  app.register(cookie, { hook: false })
  app.decorateRequest('sessionHash', {
    getter(this: FastifyRequest) {
      return readSessionHash(this, publicUrl)
    },
  })
}

function readSessionHash(request: FastifyRequest, publicUrl: string): Buffer | null {
  const token = readCookie(request, cookieNameOf(sessionName, request, publicUrl))
  return token !== undefined && tokenShape.test(token) ? hashToken(token) : null
}

/** The value of a cookie of the request. */
export function readCookie({ headers, server }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[name]
}

export function setSessionCookie(reply: FastifyReply, publicUrl: string, token: string): void {
  const secure = isSecure(reply.request, publicUrl)
  reply.setCookie(cookieNameOf(sessionName, reply.request, publicUrl), token, {
    ...attributes,
    secure,
    maxAge: maxAgeSeconds,
  })
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  const secure = isSecure(reply.request, publicUrl)
  reply.clearCookie(cookieNameOf(sessionName, reply.request, publicUrl), { ...attributes, secure })
}

const attributes = { path: '/', httpOnly: true, sameSite: 'lax' } as const

/** Whether the browser uses https, perhaps to a proxy in front of us. */
export function isSecure({ protocol }: FastifyRequest, publicUrl: string): boolean {
  return protocol === 'https' || publicUrl.startsWith('https:')
}

/**
 * The name of a cookie of ours. Browsers accept the prefix only with Secure, path / and no domain, so that no other host
 * can set the cookie.
 */
export function cookieNameOf(name: string, request: FastifyRequest, publicUrl: string): string {
  return isSecure(request, publicUrl) ? `__Host-${name}` : name
}
