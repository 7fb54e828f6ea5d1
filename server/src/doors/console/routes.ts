import type { ApiRoutes } from '../../foundation/http/server.ts'
import { registerOpenIdConsoleRoutes } from './openid/routes.ts'
import { registerOperatorConsoleRoutes } from './operator/routes.ts'
import { registerPasskeyConsoleRoutes } from './passkeys/routes.ts'
import type { ConsoleServices } from './services.ts'
import { registerSessionConsoleRoutes } from './session/routes.ts'

/** Registers what only users can do: no key can. */
export function registerConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  registerSessionConsoleRoutes(api, services)
  registerPasskeyConsoleRoutes(api, services)
  registerOpenIdConsoleRoutes(api, services)
  registerOperatorConsoleRoutes(api, services)
}
