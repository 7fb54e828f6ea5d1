import type { ApiRoutes } from '../http/server.ts'
import { registerBillingConsoleRoutes } from './billing/routes.ts'
import { registerCatalogueConsoleRoutes } from './catalogue/routes.ts'
import { registerExportConsoleRoutes } from './exports/routes.ts'
import { registerOpenIdConsoleRoutes } from './openid/routes.ts'
import { registerOperatorConsoleRoutes } from './operator/routes.ts'
import { registerPasskeyConsoleRoutes } from './passkeys/routes.ts'
import { registerPrivacyConsoleRoutes } from './privacy/routes.ts'
import type { ConsoleServices } from './services.ts'
import { registerSessionConsoleRoutes } from './session/routes.ts'
import { registerUsageConsoleRoutes } from './usage/routes.ts'

/** Registers what only people can do: no key can. */
export function registerConsoleRoutes(api: ApiRoutes, services: ConsoleServices): void {
  registerSessionConsoleRoutes(api, services)
  registerCatalogueConsoleRoutes(api, services)
  registerExportConsoleRoutes(api, services)
  registerPasskeyConsoleRoutes(api, services)
  registerOpenIdConsoleRoutes(api, services)
  registerBillingConsoleRoutes(api, services)
  registerOperatorConsoleRoutes(api, services)
  registerPrivacyConsoleRoutes(api, services)
  registerUsageConsoleRoutes(api, services)
}
