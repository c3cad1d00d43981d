// All faults that `bite` injects into the source.
import { CLOCK_FAULTS } from './faults/clock.ts';
import type { Fault } from './faults/fault.ts';
import { DOOR_FAULTS } from './faults/requests.ts';
import { STORAGE_FAULTS } from './faults/storage.ts';
import { WORK_FAULTS } from './faults/work.ts';

export const FAULTS: readonly Fault[] = [...STORAGE_FAULTS, ...WORK_FAULTS, ...CLOCK_FAULTS, ...DOOR_FAULTS];
