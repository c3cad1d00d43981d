// systemd print: prints a unit that runs this executable as a dedicated user, with access to its data directory only.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { flagOf, KEY_NAMES, KEYS, type Key, type KeyName, variableOf } from '../config/keys.ts';
import { STOP_SECONDS } from '../serve/machine/systemd.ts';
import { wrongUsage } from './exit-codes.ts';
import { effectiveConfig, type GivenOptions } from './key-options.ts';
import { note, say } from './output.ts';
import { thisProgram } from './this-program.ts';

export type UnitOptions = GivenOptions & { user?: string; type?: 'notify' | 'exec' };

/** What the unit sets in the environment of the hub. `doctor` does not see it, and expects it. */
export const UNIT_SETTINGS = { require_setup_token: true } as const;

const DEFAULT_USER = 'agenthub';
const DEFAULT_DATA = '/var/lib/agenthub';
const ENVIRONMENT_FILE = '/etc/agenthub/agenthub.env';
const FIRST_FREE_PORT = 1024;

export async function systemdPrint({ user = DEFAULT_USER, type, ...given }: UnitOptions): Promise<void> {
  const { config, origins } = effectiveConfig({ data: DEFAULT_DATA, ...given });
  const named = KEY_NAMES.filter((name) => origins[name]?.source === 'flag');
  const secret = named.find((name) => keyOf(name).isSecret);
  if (secret !== undefined)
    throw wrongUsage(
      `${flagOf(secret)} would be readable by all users in the unit; put ${variableOf(secret)}_FILE into ${ENVIRONMENT_FILE}`,
    );
  const flags = named.flatMap((name) => [flagOf(name), String(config[name] ?? '')]);
  const ofShell = KEY_NAMES.flatMap((name) =>
    origins[name]?.source === 'environment' ? [origins[name].spelling] : [],
  );
  if (ofShell.length > 0)
    note(
      `the unit does not have the settings of this shell (${ofShell.join(', ')}): write them into ${ENVIRONMENT_FILE}`,
    );
  const [program = '', ...args] = thisProgram();
  const warning = warningAbout(program);
  if (warning !== undefined) note(warning);
  const notifies = type === undefined ? isInstalled(NOTIFY) : type === 'notify';
  if (type === undefined && !notifies) note(WITHOUT_NOTIFY);
  say(
    unit({
      user,
      data: config.data,
      command: [program, ...args, 'serve', ...flags],
      drainSeconds: config.drain_seconds,
      isLowPort: config.port > 0 && config.port < FIRST_FREE_PORT,
      notifies,
    }),
  );
}

/** Sends the messages of the service to systemd; part of systemd. */
const NOTIFY = 'systemd-notify';

const WITHOUT_NOTIFY = `${NOTIFY} is not installed here, so the unit has Type=exec: it counts as started before the hub serves requests, and has no watchdog; with --type notify, it is for a machine that has it`;

function isInstalled(command: string): boolean {
  return ['/usr/bin', '/bin'].some((directory) => existsSync(join(directory, command)));
}

/** Why a service should not run the program where it is, if it should not. */
export function warningAbout(program: string): string | undefined {
  if (/^\/(var\/)?tmp\//.test(program))
    return `${program} is in a temporary directory, which a service cannot see and a reboot empties; ${INSTALL}`;
  return /^\/(home|root)\//.test(program)
    ? `${program} is in a home directory, so the unit leaves home directories visible to the service; ${INSTALL}`
    : undefined;
}

const INSTALL = 'install it in /usr/local/bin, and print the unit with that file';

function keyOf(name: KeyName): Key {
  return KEYS[name];
}

type Unit = {
  user: string;
  data: string;
  command: readonly string[];
  isLowPort: boolean;
  drainSeconds: number;
  notifies: boolean;
};

// No MemoryDenyWriteExecute: the engine compiles JavaScript into memory that it then runs.
function unit({ user, data, command, isLowPort, drainSeconds, notifies }: Unit): string {
  const capabilities = isLowPort ? 'CAP_NET_BIND_SERVICE' : '';
  const home = [data, ...command].some((part) => /^\/(home|root)\//.test(part)) ? 'no' : 'yes';
  return `# Written by agenthub systemd print, for /etc/systemd/system/agenthub.service. To install it:
#   useradd --system --home-dir ${data} --shell /usr/sbin/nologin ${user}
#   systemctl daemon-reload && systemctl enable --now agenthub

[Unit]
Description=agenthub, a coordination hub for software agents
After=network-online.target
Wants=network-online.target
# Five failed starts in five minutes are not tried again.
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
${notifies ? NOTIFYING : 'Type=exec'}
ExecStart=${command.map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
# Every user of this machine can reach a loopback address, so the first registration requires the setup link in the log.
Environment=${variableOf('require_setup_token')}=${UNIT_SETTINGS.require_setup_token}
EnvironmentFile=-${ENVIRONMENT_FILE}
User=${user}
Group=${user}
UMask=0077
Restart=on-failure
RestartSec=2
# Exit code 2 is an invalid configuration, which a restart does not fix.
RestartPreventExitStatus=2
# The first start of a new version may upgrade a large database.
TimeoutStartSec=30min
TimeoutStopSec=${STOP_SECONDS + drainSeconds}
LimitNOFILE=65536
# The hub adapts its limits to this.
MemoryMax=75%

${storage(data)}
AmbientCapabilities=${capabilities}
CapabilityBoundingSet=${capabilities}
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=${home}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target`;
}

/** systemd-notify is another process than the hub. */
const NOTIFYING = `Type=notify
NotifyAccess=all
# Restarts a hub whose event loop is blocked.
WatchdogSec=60`;

// With StateDirectory, systemd creates the directory and sets its owner, but only below /var/lib.
function storage(data: string): string {
  const own = /^\/var\/lib\/([^/]+)$/.exec(data)?.[1];
  return own === undefined
    ? `ReadWritePaths=${quoted(data)}`
    : `StateDirectory=${quoted(own)}\nStateDirectoryMode=0700`;
}

/** Quotes a word for systemd, where a literal % or $ is doubled. */
function quoted(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%$+=:,./-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`;
}
