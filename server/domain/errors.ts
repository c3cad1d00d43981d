// The error type of the hub and its named constructors. `code` is the exact code of the interface; `message` is one
// line that says what to do. REST and MCP turn it into an HTTP status or a tool error.
import { MAX_UNREAD_BYTES_PER_USER, MAX_WAITING_BATCH_BYTES, MAX_WAITING_FIGURES, MEBIBYTE } from './limits.ts';
import { PROBLEMS } from './notifiers/problems.ts';

export class HubError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'HubError';
    this.code = code;
  }
}

/** A temporary limit or failure; retry after `retryAfterSeconds`. */
export class TryLater extends HubError {
  readonly retryAfterSeconds: number;
  constructor(code: string, message: string, retryAfterSeconds: number) {
    super(code, message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * Invalid input: `invalid_request` over REST, `invalid_arguments` over MCP. The message names the field and the rule.
 */
export class InvalidInput extends HubError {
  constructor(message: string) {
    super('invalid_request', message);
    this.name = 'InvalidInput';
  }
}

export const invalidInput = (message: string) => new InvalidInput(message);

export const wrongHookClient = (client: string, event: string, others: string) =>
  invalidInput(`hook_event_name ${event} is not an event of ${client}; the clients with this event are ${others}`);

export const unauthorized = (message = 'send Authorization: Bearer with a valid token') =>
  new HubError('unauthorized', message);
export const invalidCredentials = () => new HubError('invalid_credentials', 'the username or the password is wrong');
export const wrongPassword = () => new HubError('invalid_credentials', 'old_password is not your password');
export const accountDisabled = () =>
  new HubError('account_disabled', 'this account is disabled; the operator can enable it with `agenthub user enable`');
export const forbidden = (message: string) => new HubError('forbidden', message);
export const lastAdmin = (username: string) =>
  new HubError(
    'last_admin',
    `${username} is the only admin of this hub; create another one first with \`agenthub user set-role USER admin\``,
  );
export const ownsNetworks = (username: string, names: readonly string[]) =>
  new HubError(
    'owns_networks',
    names.length === 1
      ? `${username} owns the network ${names[0]}; transfer it with --transfer-to USER, or delete it with --delete-networks`
      : `${username} owns the networks ${names.join(', ')}; transfer them with --transfer-to USER, or delete them with --delete-networks`,
  );
export const userTokenRequired = () =>
  new HubError('user_token_required', 'this endpoint requires a user token (utok_…); log in to get one');
export const setupTokenRequired = () =>
  new HubError(
    'setup_token_required',
    'the first registration must carry the setup token as its bearer; the hub prints it at startup, or logs it when a proxy forwards a first registration',
  );
export const setupTokenExpired = () =>
  new HubError(
    'setup_token_expired',
    'the setup link has expired; the log of the hub has a new one, or create the admin on its machine with agenthub user create NAME',
  );
export const registrationClosed = () =>
  new HubError('registration_closed', 'registration is closed on this hub; ask its operator for an account');
export const inviteRequired = () =>
  new HubError('invite_required', 'this hub requires an invite_code to register; ask a network owner for one');
export const permissionDenied = (message: string) => new HubError('permission_denied', message);
export const licenseExpired = () =>
  new HubError(
    'license_expired',
    'the trial period of this network has ended; the operator can extend it with `agenthub network license`',
  );
export const notFound = (message: string) => new HubError('not_found', message);
export const usernameTaken = (username: string) =>
  new HubError('username_taken', `the username ${username} is taken; choose another`);

export const taskNotFound = () =>
  new HubError('task not found', 'no task or message of this network has that id; list_tasks shows the ids');
export const messageNotFound = () =>
  new HubError(
    'message not found or not yours',
    'no message with that id is in the inbox of that alias; get_inbox lists them',
  );
export const sessionNotFound = (alias: string) =>
  new HubError('session not found', `no agent has reported as ${alias}; get_all_status lists the aliases`);
export const taskIsTerminal = (status: string) =>
  new HubError('task is terminal', `the task is settled (${status}) and cannot be changed`);
export const attemptSuperseded = () =>
  new HubError(
    'task is terminal',
    'the task was reassigned or retried and your attempt no longer counts; stop working on it',
  );
export const taskNotRetryable = (status: string) =>
  new HubError(`task status is ${status}, not retryable`, 'only a failed, expired or cancelled task can be retried');
export const duplicateSend = () =>
  new HubError(
    'duplicate_send',
    'this is the 20th identical send within 5 minutes; stop repeating it and read the replies',
  );
export const quotaExceeded = (what: string, max: number, key: string, remedy: string) =>
  new HubError(
    'quota_exceeded',
    `the quota of ${max} ${what} is used up; ${remedy}, or ask the operator of the hub to raise ${key}`,
  );
export const tooManyAMinute = (what: string, max: number, key: string, retryAfterSeconds: number) =>
  new TryLater(
    'rate_limited',
    `the limit is ${max} ${what} (${key}); wait ${retryAfterSeconds} s, then try again`,
    retryAfterSeconds,
  );
export const idempotencyConflict = () =>
  new HubError(
    'idempotency_conflict',
    'this idempotency_key was used for a different call; use a new key for each call',
  );

export const ownerOnly = () => forbidden('only the owner of the network may do this');
export const adminOnly = () => forbidden('only a system admin may do this');
export const notAMember = () => forbidden('you are not a member of that network');
export const noSuchNetwork = () => notFound('no network has that id');
export const noSuchMember = () => notFound('that user is not a member of this network');
export const noSuchNotifier = () => notFound('no notifier of yours has that id');
export const ownerCannotChange = () =>
  invalidInput('the owner of a network keeps the role owner and cannot be removed');
export const networkHasActiveSessions = (count: number) =>
  new HubError(
    'network_has_active_sessions',
    `${count} ${count === 1 ? 'session is' : 'sessions are'} not offline; a network can be deleted only when all sessions are offline`,
  );
export const networkFull = (max: number) =>
  new HubError('network_full', `the network has reached its limit of ${max} members; its owner can raise max_members`);
export const alreadyMember = () => new HubError('already_member', 'you are already a member of this network');
export const inviteInvalid = () => new HubError('invite_invalid', 'this invite does not exist; ask for a new one');
export const inviteExpired = () => new HubError('invite_expired', 'this invite has expired; ask for a new one');
export const inviteUsedUp = () =>
  new HubError('invite_used_up', 'this invite has reached its use limit; ask for a new one');

export const payloadTooLarge = (bytes: number) =>
  new HubError(
    'payload_too_large',
    `a request body may have at most ${bytes < MEBIBYTE ? `${bytes / 1024} KiB` : `${bytes / MEBIBYTE} MiB`}`,
  );
export const bodyTooSlow = () =>
  new HubError(
    'request_timeout',
    'the request body arrived too slowly; send it again over a faster connection, or in smaller requests',
  );
export const unsupportedMediaType = (message: string) => new HubError('unsupported_media_type', message);
export const methodNotAllowed = (allowed: string) => new HubError('method_not_allowed', `this path accepts ${allowed}`);
export const unavailable = (message: string) => new TryLater('unavailable', message, 5);
export const passwordsBusy = () =>
  new TryLater('unavailable', 'too many password checks are queued; try again shortly', 10);
/** Ends the work for a client that has disconnected, which never sees it. */
export const clientLeft = () => new HubError('client_left', 'the client disconnected before its request was handled');
export const passwordIsChanging = () =>
  new TryLater('rate_limited', 'another change of your password is in progress; wait until it is done', 5);
export const tooManyOpen = (what: string, max: number, more: number) =>
  new TryLater(
    'rate_limited',
    more > 1
      ? `a token may have ${max} open ${what} and this batch needs ${more}; close some first, or send smaller batches`
      : `this token has reached its limit of ${max} open ${what}; close one first`,
    30,
  );
export const tooManyOpenOfUser = (what: string, max: number, key: string) =>
  new TryLater(
    'rate_limited',
    `this user has reached the limit of ${max} open ${what}; close one first, or ask the operator of the hub to raise ${key}`,
    30,
  );
export const tooMuchUnread = () =>
  new TryLater(
    'rate_limited',
    `this user has ${MAX_UNREAD_BYTES_PER_USER / MEBIBYTE} MiB of unread responses; read them first`,
    5,
  );
export const tooManyWaitingBatches = () =>
  new TryLater(
    'rate_limited',
    `this user has ${MAX_WAITING_BATCH_BYTES / MEBIBYTE} MiB of queued batches; wait until some have finished`,
    5,
  );
export const tooManyWaitingFigures = () =>
  new TryLater(
    'rate_limited',
    `this user has ${MAX_WAITING_FIGURES} queued requests for figures; wait until some have finished`,
    5,
  );
export const tooManyLogins = (retryAfterSeconds: number) =>
  new TryLater(
    'rate_limited',
    'too many logins or failed logins for this username; wait, then try again',
    retryAfterSeconds,
  );
export const tooManyNotifierTests = (max: number, retryAfterSeconds: number) =>
  new TryLater(
    'rate_limited',
    `you may test notifiers ${max} times per minute; wait, then try again`,
    retryAfterSeconds,
  );
export const tooManyUrlChecks = (max: number) =>
  new TryLater('rate_limited', `the hub checks at most ${max} of your URLs at a time; wait, then try again`, 1);
export const privateAddress = () => unusableUrl('private_address');
export const noAddress = () => unusableUrl('no_address');
export const lookupFailed = () => unusableUrl('lookup_failed');
export const tooManyPasswordChanges = (max: number, retryAfterSeconds: number) =>
  new TryLater(
    'rate_limited',
    `you may change your password ${max} times per minute; wait, then try again`,
    retryAfterSeconds,
  );

export const storageFull = () =>
  new TryLater('storage_full', 'the disk of the hub is full and nothing was stored; try again when there is space', 30);

export const databaseGone = () =>
  new TryLater(
    'database_gone',
    'the database file of the hub was deleted or replaced and nothing was stored; its operator must act first',
    30,
  );

/** A fatal startup error: the command prints the message and exits with code 1. Its message includes the remedy. */
export class StartError extends Error {
  readonly says: string;
  readonly remedy: string | undefined;

  constructor(says: string, remedy?: string) {
    super(remedy === undefined ? says : `${says}; ${remedy}`);
    this.says = says;
    this.remedy = remedy;
  }
}

function unusableUrl(problem: 'private_address' | 'no_address' | 'lookup_failed') {
  return new HubError(problem, `url cannot be used: ${PROBLEMS[problem]}`);
}
