import type { Scenario } from './scenario.ts'
import { abuse } from './scenarios/abuse/abuse.ts'
import { bombs } from './scenarios/bombs.ts'
import { charges } from './scenarios/charges.ts'
import { client } from './scenarios/client.ts'
import { clock } from './scenarios/clock.ts'
import { backup } from './scenarios/data/backup.ts'
import { erasing } from './scenarios/data/erasing.ts'
import { exports } from './scenarios/data/exports.ts'
import { imports } from './scenarios/data/imports.ts'
import { descriptors } from './scenarios/descriptors.ts'
import { disk } from './scenarios/disk.ts'
import { frozen } from './scenarios/frozen.ts'
import { keys } from './scenarios/keys.ts'
import { kills } from './scenarios/kills.ts'
import { overload } from './scenarios/overload.ts'
import { restarts } from './scenarios/restarts.ts'
import { sigterm } from './scenarios/sigterm.ts'
import { slow } from './scenarios/slow.ts'
import { soak } from './scenarios/soak.ts'
import { standin } from './scenarios/standin.ts'

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [
  kills,
  charges,
  restarts,
  frozen,
  disk,
  descriptors,
  clock,
  overload,
  slow,
  bombs,
  keys,
  abuse,
  sigterm,
  imports,
  erasing,
  backup,
  exports,
  client,
  standin,
  soak,
]
