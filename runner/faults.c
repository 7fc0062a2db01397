#include "runner/faults.h"

/* Handlers run on a stack of their own, because the kernel's may be the very thing that overflowed.
 * They never return: whatever the code was doing is over. The first thread to fail speaks. */

#include <signal.h>
#include <stddef.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "sys/doorbell.h"

enum { STACK_BYTES = 65536, EXIT_LAST_WORDS = 115, LAST_MEMORY_BYTES = 4 << 20 };

/* A handler gets no argument of ours, so the page is remembered here. */
static struct doorbell_reply *reply_page(struct doorbell_reply *set)
{
	static struct doorbell_reply *page;
	if (set)
		page = set;
	return page;
}

static _Noreturn void leave(struct doorbell_reply *reply)
{
	atomic_store(&reply->ack, DOORBELL_ACK_DEAD);
	syscall(SYS_futex, &reply->ack, FUTEX_WAKE, 1, NULL, NULL, 0);
	for (;;)
		syscall(SYS_exit_group, EXIT_LAST_WORDS);
}

/* True for the first caller; the others wait for the exit that is coming. */
static void be_first(struct doorbell_reply *reply, uint32_t end)
{
	uint32_t none = END_NONE;
	if (atomic_compare_exchange_strong(&reply->end, &none, end))
		return;
	for (;;)
		syscall(SYS_exit_group, EXIT_LAST_WORDS);
}

static uint32_t was_write(const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *u = context;
	return (u->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
	(void)context;
	return 0;
#endif
}

/* A kernel that does not look at what malloc gave faults on NULL. Whether that is why is found by
 * asking for memory ourselves. */
static uint32_t is_out_of_memory(void)
{
	void *at = mmap(NULL, LAST_MEMORY_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	struct doorbell_reply *reply = reply_page(NULL);
	be_first(reply, END_FAULT);
	reply->signal = signal;
	reply->address = (uint64_t)(uintptr_t)info->si_addr;
	reply->is_write = was_write(context);
	reply->is_out_of_memory = is_out_of_memory();
	leave(reply);
}

static void on_syscall(int signal, siginfo_t *info, void *context)
{
	struct doorbell_reply *reply = reply_page(NULL);
	(void)context;
	be_first(reply, END_SYSCALL);
	reply->signal = signal;
	reply->syscall_nr = info->si_syscall;
	leave(reply);
}

static void catch_signal(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction sa = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};
	/* Nothing may interrupt last words. */
	sigfillset(&sa.sa_mask);
	sigaction(signal, &sa, NULL);
}

void faults_catch(struct doorbell_reply *reply)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT };
	reply_page(reply);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		catch_signal(signals[i], on_fault);
	catch_signal(SIGSYS, on_syscall);
	faults_take_stack();
}

void faults_take_stack(void)
{
	stack_t stack = { .ss_size = STACK_BYTES };
	stack.ss_sp =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
}

void faults_give_up(struct doorbell_reply *reply, uint32_t end, const char *text)
{
	be_first(reply, end);
	size_t len = strlen(text);
	if (len > DOORBELL_TEXT_BYTES - 1)
		len = DOORBELL_TEXT_BYTES - 1;
	memcpy(reply->text, text, len);
	reply->text[len] = 0;
	leave(reply);
}
