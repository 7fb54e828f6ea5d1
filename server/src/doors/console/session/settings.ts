import { userContext } from '../../../customers/auth/signed-in.ts'
import { upsertSettings } from '../../../customers/users/queries.ts'
import type { ApiRoutes } from '../../../foundation/http/server.ts'
import { Refusal } from '../../../foundation/kernel/errors.ts'
import { DoneReply, done } from '../../../foundation/kernel/shapes.ts'
import { SettingsRequest } from './schema.ts'

const maxSettingsBytes = 16_384
/** What JSON allows and PostgreSQL cannot store: NUL, and half of a surrogate pair. */
const unstorable = /(?<!\\)(\\\\)*\\u(0000|d[89a-f])/

/** A user's choices in the console, such as columns of tables. */
export function registerSettingsConsoleRoutes(api: ApiRoutes): void {
  api.put(
    '/settings',
    {
      config: { access: { person: true, kind: 'session' } },
      schema: {
        operationId: 'setSettings',
        tags: ['session'],
        summary: 'Keep what the person chose in the console',
        body: SettingsRequest,
        response: { 200: DoneReply },
      },
    },
    async (request) => {
      const { db, now, user } = userContext(request)
      const { settings } = request.body
      const text = JSON.stringify(settings)
      if (Buffer.byteLength(text) > maxSettingsBytes)
        throw new Refusal('payload_too_large', 'Settings may take 16 KB.', { param: 'settings' })
      if (unstorable.test(text))
        throw new Refusal('invalid_request', 'Settings cannot contain NUL or half a character.', { param: 'settings' })
      await upsertSettings(db, user.id, settings, now)
      return done(request.id)
    },
  )
}
