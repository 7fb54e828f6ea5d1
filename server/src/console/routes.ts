import type { FastifyInstance } from 'fastify'
import type { ApiRoutes } from '../http/server.ts'
import { registerAccountConsoleRoutes } from './account/routes.ts'
import { registerBillingConsoleRoutes } from './billing/routes.ts'
import { registerCatalogueConsoleRoutes } from './catalogue/routes.ts'
import { registerExportConsoleRoutes } from './exports/routes.ts'
import { consolePrefix } from './guard.ts'
import { registerKeysConsoleRoutes } from './keys/routes.ts'
import { registerListConsoleRoutes } from './lists/routes.ts'
import { registerOpenIdConsoleRoutes } from './openid/routes.ts'
import { registerOperatorConsoleRoutes } from './operator/routes.ts'
import { registerPasskeyConsoleRoutes } from './passkeys/routes.ts'
import { registerPrivacyConsoleRoutes } from './privacy/routes.ts'
import type { ConsoleServices } from './services.ts'
import { registerSessionConsoleRoutes } from './session/routes.ts'
import { registerUsageConsoleRoutes } from './usage/routes.ts'

/** Registers the console's own API. Every area declares in `config.console` who may call its routes. */
export function registerConsoleRoutes(app: FastifyInstance, services: ConsoleServices): void {
  app.register(
    async (scope) => {
      const api = scope as unknown as ApiRoutes
      registerSessionConsoleRoutes(api, services)
      registerCatalogueConsoleRoutes(api, services)
      registerExportConsoleRoutes(api, services)
      registerPasskeyConsoleRoutes(api, services)
      registerOpenIdConsoleRoutes(api, services)
      registerBillingConsoleRoutes(api, services)
      registerAccountConsoleRoutes(api, services)
      registerOperatorConsoleRoutes(api, services)
      registerPrivacyConsoleRoutes(api, services)
      registerUsageConsoleRoutes(api, services)
      registerKeysConsoleRoutes(api, services)
      registerListConsoleRoutes(api, services)
    },
    { prefix: consolePrefix },
  )
}
