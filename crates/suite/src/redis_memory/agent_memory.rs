//! One agent's memories in Redis: an expiring record each, a timeline, and an index by place.

use super::params::Knobs;
use super::resp::{Commands, Link, RedisReply};
use fairtrial_experiment::Failure;

/// The memories of one agent.
pub(super) struct AgentMemory<'a> {
    agent: usize,
    params: &'a Knobs,
}

impl<'a> AgentMemory<'a> {
    pub(super) fn new(agent: usize, params: &'a Knobs) -> Self {
        Self { agent, params }
    }

    fn key(&self, entry: usize) -> String {
        format!("fairtrial:{}:memory:{entry}", self.agent)
    }

    fn timeline(&self) -> String {
        format!("fairtrial:{}:timeline", self.agent)
    }

    fn by_x(&self) -> String {
        format!("fairtrial:{}:x", self.agent)
    }

    fn add(&self, commands: &mut Commands, entry: usize, place: [f64; 2]) {
        let text = format!(
            "{{\"step\":{entry},\"x\":{},\"y\":{},\"health\":0.75,\"action\":\"gather\",\"reward\":0.1}}",
            place[0], place[1]
        );
        let ttl = self.params.ttl.to_string();
        let number = entry.to_string();
        commands.add(&["SET", &self.key(entry), &text, "EX", &ttl]);
        commands.add(&["ZADD", &self.timeline(), &number, &number]);
        // The place's other axis travels in the member, so that a search needs one round trip.
        let member = format!("{entry}:{}", place[1]);
        commands.add(&["ZADD", &self.by_x(), &place[0].to_string(), &member]);
    }

    /// Keeps one memory.
    pub(super) fn remember(
        &self,
        link: &mut Link,
        entry: usize,
        place: [f64; 2],
    ) -> Result<(), Failure> {
        let mut commands = Commands::default();
        self.add(&mut commands, entry, place);
        link.send(&commands)
    }

    /// Keeps many in one round trip.
    pub(super) fn remember_many(
        &self,
        link: &mut Link,
        first: usize,
        places: &[[f64; 2]],
    ) -> Result<(), Failure> {
        let mut commands = Commands::default();
        for (place, entry) in places.iter().zip(first..) {
            self.add(&mut commands, entry, *place);
        }
        link.send(&commands)
    }

    /// Reads one; nothing where it was forgotten.
    pub(super) fn recall(&self, link: &mut Link, entry: usize) -> Result<Option<String>, Failure> {
        match link.ask(&["GET", &self.key(entry)])? {
            RedisReply::Nothing => Ok(None),
            reply => reply.text().map(Some),
        }
    }

    /// Numbers of the memories around a place.
    pub(super) fn search(&self, link: &mut Link, place: [f64; 2]) -> Result<Vec<usize>, Failure> {
        let radius = self.params.search_radius;
        let (low, high) = (place[0] - radius, place[0] + radius);
        let reply = link.ask(&[
            "ZRANGEBYSCORE",
            &self.by_x(),
            &low.to_string(),
            &high.to_string(),
            "WITHSCORES",
        ])?;
        // Members and scores take turns.
        let near = reply.texts()?;
        let within = near.chunks_exact(2).filter_map(|pair| {
            let (entry, y) = pair[0].split_once(':')?;
            let x: f64 = pair[1].parse().ok()?;
            let distance = (x - place[0]).hypot(y.parse::<f64>().ok()? - place[1]);
            (distance <= radius).then(|| entry.parse().ok()).flatten()
        });
        Ok(within.collect())
    }

    /// Removes the oldest beyond the limit; gives how many.
    pub(super) fn forget_beyond_limit(&self, link: &mut Link) -> Result<usize, Failure> {
        let count = link.ask(&["ZCARD", &self.timeline()])?.count()?;
        let Some(beyond) = count
            .checked_sub(self.params.memory_limit)
            .filter(|beyond| *beyond > 0)
        else {
            return Ok(0);
        };
        let last = (beyond - 1).to_string();
        let reply = link.ask(&["ZRANGE", &self.timeline(), "0", &last])?;
        let oldest = reply.texts()?;
        let mut commands = Commands::default();
        for entry in &oldest {
            commands.add(&["DEL", &self.key(entry.parse()?)]);
            commands.add(&["ZREM", &self.timeline(), entry]);
        }
        link.send(&commands)?;
        Ok(oldest.len())
    }

    /// Removes everything of this agent.
    pub(super) fn forget_all(&self, link: &mut Link) -> Result<(), Failure> {
        let mut commands = Commands::default();
        for entry in 0..self.params.memory_entries {
            commands.add(&["DEL", &self.key(entry)]);
        }
        commands.add(&["DEL", &self.timeline(), &self.by_x()]);
        link.send(&commands)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Knobs;
    use super::super::server::RedisServer;
    use super::AgentMemory;

    #[test]
    fn memories_are_kept_found_and_forgotten_in_a_real_server() {
        let server = match RedisServer::start() {
            Ok(server) => server,
            Err(error) if error.to_string().contains("not installed") => {
                assert!(std::env::var_os("CI").is_none(), "{error}");
                #[expect(clippy::print_stderr, reason = "a skipped test says why")]
                {
                    eprintln!("skipped: {error}");
                }
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let mut link = server.connect().unwrap();
        let params = Knobs {
            num_agents: 1,
            memory_entries: 5,
            batch_size: 4,
            search_radius: 1.5,
            memory_limit: 3,
            ttl: 60,
            cleanup_interval: 1,
            address: String::new(),
        };
        let memory = AgentMemory::new(7, &params);
        memory.remember(&mut link, 0, [0.25, 0.0]).unwrap();
        let places = [[1.0, 0.0], [1.0, 3.0], [3.0, 0.0], [0.0, -1.0]];
        memory.remember_many(&mut link, 1, &places).unwrap();
        let first = memory.recall(&mut link, 0).unwrap().unwrap();
        assert!(first.contains("\"x\":0.25"), "{first}");
        let mut near = memory.search(&mut link, [0.0, 0.0]).unwrap();
        near.sort_unstable();
        assert_eq!(near, [0, 1, 4]);

        assert_eq!(memory.forget_beyond_limit(&mut link).unwrap(), 2);
        assert_eq!(memory.forget_beyond_limit(&mut link).unwrap(), 0);
        assert_eq!(memory.recall(&mut link, 1).unwrap(), None);
        assert!(memory.recall(&mut link, 2).unwrap().is_some());
        memory.forget_all(&mut link).unwrap();
        assert_eq!(memory.recall(&mut link, 2).unwrap(), None);

        // A command that the server refuses is an error, and the connection stays of use.
        let refused = link.ask(&["NOSUCHCOMMAND"]).unwrap_err().to_string();
        assert!(refused.contains("refused"), "{refused}");
        assert_eq!(link.ask(&["PING"]).unwrap().text().unwrap(), "PONG");
    }
}
