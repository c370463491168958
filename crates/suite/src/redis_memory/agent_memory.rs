//! One agent's memories in Redis: an expiring record each, a timeline, and an index by place.

use super::params::Params;
use fairtrial_experiment::Failure;
use redis::{Connection, Pipeline};

/// The memories of one agent.
pub(super) struct AgentMemory<'a> {
    agent: usize,
    params: &'a Params,
}

impl<'a> AgentMemory<'a> {
    pub(super) fn new(agent: usize, params: &'a Params) -> Self {
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

    fn add(&self, pipe: &mut Pipeline, entry: usize, place: [f64; 2]) {
        let text = format!(
            "{{\"step\":{entry},\"x\":{},\"y\":{},\"health\":0.75,\"action\":\"gather\",\"reward\":0.1}}",
            place[0], place[1]
        );
        pipe.cmd("SET")
            .arg(self.key(entry))
            .arg(text)
            .arg("EX")
            .arg(self.params.ttl)
            .ignore();
        pipe.cmd("ZADD")
            .arg(self.timeline())
            .arg(entry)
            .arg(entry)
            .ignore();
        // The place's other axis travels in the member, so that a search needs one round trip.
        pipe.cmd("ZADD")
            .arg(self.by_x())
            .arg(place[0])
            .arg(format!("{entry}:{}", place[1]))
            .ignore();
    }

    /// Keeps one memory.
    pub(super) fn remember(
        &self,
        link: &mut Connection,
        entry: usize,
        place: [f64; 2],
    ) -> Result<(), Failure> {
        let mut pipe = redis::pipe();
        self.add(&mut pipe, entry, place);
        Ok(pipe.query(link)?)
    }

    /// Keeps many in one round trip.
    pub(super) fn remember_many(
        &self,
        link: &mut Connection,
        first: usize,
        places: &[[f64; 2]],
    ) -> Result<(), Failure> {
        let mut pipe = redis::pipe();
        for (place, entry) in places.iter().zip(first..) {
            self.add(&mut pipe, entry, *place);
        }
        Ok(pipe.query(link)?)
    }

    /// Reads one; nothing where it was forgotten.
    pub(super) fn recall(
        &self,
        link: &mut Connection,
        entry: usize,
    ) -> Result<Option<String>, Failure> {
        Ok(redis::cmd("GET").arg(self.key(entry)).query(link)?)
    }

    /// Numbers of the memories around a place.
    pub(super) fn search(
        &self,
        link: &mut Connection,
        place: [f64; 2],
    ) -> Result<Vec<usize>, Failure> {
        let radius = self.params.search_radius;
        let near: Vec<(String, f64)> = redis::cmd("ZRANGEBYSCORE")
            .arg(self.by_x())
            .arg(place[0] - radius)
            .arg(place[0] + radius)
            .arg("WITHSCORES")
            .query(link)?;
        let within = near.into_iter().filter_map(|(member, x)| {
            let (entry, y) = member.split_once(':')?;
            let distance = (x - place[0]).hypot(y.parse::<f64>().ok()? - place[1]);
            (distance <= radius).then(|| entry.parse().ok()).flatten()
        });
        Ok(within.collect())
    }

    /// Removes the oldest beyond the limit; gives how many.
    pub(super) fn forget_beyond_limit(&self, link: &mut Connection) -> Result<usize, Failure> {
        let count: usize = redis::cmd("ZCARD").arg(self.timeline()).query(link)?;
        let Some(beyond) = count
            .checked_sub(self.params.memory_limit)
            .filter(|beyond| *beyond > 0)
        else {
            return Ok(0);
        };
        let oldest: Vec<usize> = redis::cmd("ZRANGE")
            .arg(self.timeline())
            .arg(0)
            .arg(beyond - 1)
            .query(link)?;
        let mut pipe = redis::pipe();
        for entry in &oldest {
            pipe.cmd("DEL").arg(self.key(*entry)).ignore();
            pipe.cmd("ZREM").arg(self.timeline()).arg(*entry).ignore();
        }
        pipe.query::<()>(link)?;
        Ok(oldest.len())
    }

    /// Removes everything of this agent.
    pub(super) fn forget_all(&self, link: &mut Connection) -> Result<(), Failure> {
        let mut pipe = redis::pipe();
        for entry in 0..self.params.memory_entries {
            pipe.cmd("DEL").arg(self.key(entry)).ignore();
        }
        pipe.cmd("DEL")
            .arg(self.timeline())
            .arg(self.by_x())
            .ignore();
        Ok(pipe.query(link)?)
    }
}
