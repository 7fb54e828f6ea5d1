import type { Scenario } from '../scenario.ts'
import { bombs } from './bombs.ts'
import { clock } from './clock.ts'
import { descriptors } from './descriptors.ts'
import { disk } from './disk.ts'
import { erasing } from './erasing.ts'
import { frozen } from './frozen.ts'
import { imports } from './imports.ts'
import { keys } from './keys.ts'
import { kills } from './kills.ts'
import { overload } from './overload.ts'
import { restarts } from './restarts.ts'
import { sigterm } from './sigterm.ts'
import { slow } from './slow.ts'
import { soak } from './soak.ts'
import { standin } from './standin.ts'

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [
  kills,
  restarts,
  frozen,
  disk,
  descriptors,
  clock,
  overload,
  slow,
  bombs,
  keys,
  sigterm,
  imports,
  erasing,
  standin,
  soak,
]
